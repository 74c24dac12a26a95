/** What callers do and how long they wait, the same for every contender. */
export const workload = {
  /** Connections of the pool. A query waits most of its time, so that the database is busy and the machine is not. */
  poolSize: 20,
  /** A caller is gone after this time, as behind an HTTP timeout; its query stays where it is. */
  deadlineMs: 1000,
  /**
   * A little work, then 20 ms of waiting in place of a disk or a lock: what such a database can do is bound by its
   * connections, and stays the same on a machine of two cores that does other things too. Prepared once a connection.
   */
  query: {
    name: 'demo',
    text: 'select sum(n) as work, pg_sleep(0.02) from generate_series(1, 500) as n',
  },
  /** Of the arrivals, so that every contender meets the same ones. */
  seed: 20,
} as const;
