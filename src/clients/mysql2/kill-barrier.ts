import type { CommandState, MysqlCommand, MysqlConnection } from './mysql-internals.js';

/**
 * Keeps back what a connection is to send next while a `KILL QUERY` for what it runs now is under way: it hits whatever the
 * server runs for that connection when it arrives. A command of its own, next in the connection's line: a ping, which is
 * not sent before every request has been answered, and takes with it what a request that came too late has left.
 */
export class KillBarrier {
  /** Resolves when the connection is free for what comes next, or gone. */
  readonly passed: Promise<void>;
  readonly #connection: MysqlConnection;
  readonly #ping: MysqlCommand;
  readonly #sendPing: CommandState;
  readonly #pass: () => void;
  #underWay = 0;
  #killSent = false;
  #reached = false;

  constructor(connection: MysqlConnection) {
    this.#connection = connection;
    let resolve!: () => void;
    this.passed = new Promise((resolvePassed) => {
      resolve = resolvePassed;
    });
    this.#pass = () => {
      connection.stream.removeListener('close', this.#pass);
      resolve();
    };
    this.#ping = makePing(connection, this.#pass);
    this.#sendPing = this.#ping.start;
    this.#ping.start = this.#step;
    this.#ping.once('end', this.#pass);
    connection.stream.once('close', this.#pass);
    connection._commands?.unshift(this.#ping);
  }

  /** A request is about to be made. */
  raise(): void {
    this.#underWay++;
  }

  /** @param sent whether it went out to the server */
  lift(sent: boolean): void {
    this.#underWay--;
    if (sent) this.#killSent = true;
    if (this.#underWay > 0) return;
    if (this.#reached) this.#connection.handlePacket();
    else if (this.#connection._commands === undefined) this.#pass();
  }

  /** The state of the ping until it is sent: mysql2 asks for the next one whenever there is news. */
  readonly #step: CommandState = (packet, connection) => {
    this.#reached = true;
    if (this.#underWay > 0) return this.#step;
    return this.#killSent ? this.#sendPing.call(this.#ping, packet, connection) : null;
  };
}

/** Made as the driver makes it, but not sent. */
function makePing(connection: MysqlConnection, onAnswer: () => void): MysqlCommand {
  const maker = { addCommand: (command: MysqlCommand) => command };
  return Object.getPrototypeOf(connection).ping.call(maker, onAnswer);
}
