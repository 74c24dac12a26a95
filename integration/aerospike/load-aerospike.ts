const importAerospike = () => import('aerospike');

export type AerospikeModule = Awaited<ReturnType<typeof importAerospike>>['default'];

/**
 * The client, or an error that says why it can't be loaded and what to do: its native addon comes prebuilt, but is linked
 * to libraries of the system. Only tests of Aerospike ask for it, so the other suites run without.
 */
export async function loadAerospike(
  load: () => Promise<{ default: AerospikeModule }> = importAerospike,
): Promise<AerospikeModule> {
  try {
    return (await load()).default;
  } catch (cause) {
    const { message } = cause as Error;
    throw new Error(`aerospike's native addon does not load: ${message}\n${adviceFor(message)}`, { cause });
  }
}

function adviceFor(message: string): string {
  const library = /(lib[\w+.-]+\.so[.\d]*)/.exec(message)?.[1];
  if (library?.startsWith('libyaml')) {
    return 'Install libyaml (Debian, Ubuntu: libyaml-0-2; Alpine: yaml; Red Hat: libyaml).';
  }
  if (library !== undefined) return `Install the system's package that brings ${library}.`;
  if (/Cannot find (package|module) 'aerospike'/.test(message)) return 'Install it: npm install aerospike.';
  return `It is prebuilt for Linux (glibc) on x64, Node 20, 22, 24 and 25; this is ${process.platform} ${process.arch}, Node ${process.version}.`;
}
