import { createServer } from 'node:net'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { type FileLock, tryFileLock } from './file-lock.ts'

export type PortName =
  | 'api'
  | 'worker'
  | 'simulator'
  | 'providerA'
  | 'providerB'
  | 'providerC'
  | 'providerD'
  | 'postgres'
  | 'temporal'
  | 'temporalUi'

export type Ports = Record<PortName, number>

/** Where each is looked for first, and the variable that names another. */
const DEFAULT_PORTS: Record<PortName, { port: number; variable: string }> = {
  api: { port: 3000, variable: 'PORT' },
  worker: { port: 3001, variable: 'TRILHO_WORKER_PORT' },
  simulator: { port: 3010, variable: 'SIMULATOR_PORT' },
  providerA: { port: 3011, variable: 'SIMULATOR_PROVIDER_PORTS' },
  providerB: { port: 3012, variable: 'SIMULATOR_PROVIDER_PORTS' },
  providerC: { port: 3013, variable: 'SIMULATOR_PROVIDER_PORTS' },
  providerD: { port: 3014, variable: 'SIMULATOR_PROVIDER_PORTS' },
  postgres: { port: 5433, variable: 'POSTGRES_PORT' },
  temporal: { port: 7233, variable: 'TEMPORAL_PORT' },
  temporalUi: { port: 8233, variable: 'TEMPORAL_UI_PORT' },
}

export type PickedPorts = {
  ports: Ports
  /** Those that were not given, to be remembered: links and connections point to them. */
  portsToRemember: Partial<Ports>
  /** Lets go of the claims, once nothing listens any more. */
  release(): Promise<void>
}

/**
 * Chooses the ports of all servers. Given ports must be free; 0 means any. The others keep the port of the previous start,
 * else their default, else a free one. Each is claimed until released, so that two starts at the same time never share one.
 */
export async function pickPorts({
  requested,
  remembered,
}: {
  requested: Partial<Ports>
  remembered: Partial<Ports>
}): Promise<PickedPorts> {
  const claims: FileLock[] = []
  const release = async () => {
    for (const lock of claims.splice(0)) await lock.release()
  }
  const claim = async (port: number) => {
    const lock = await claimPort(port)
    if (lock) claims.push(lock)
    return lock !== undefined
  }
  const ports: Partial<Ports> = {}
  const portsToRemember: Partial<Ports> = {}
  try {
    // Those that are given come first, so that nothing else takes them.
    const names = (Object.keys(DEFAULT_PORTS) as PortName[]).toSorted(
      (a, b) => Number(!requested[a]) - Number(!requested[b]),
    )
    for (const name of names) {
      if (requested[name]) {
        if (!(await claim(requested[name]))) throw new PortInUseError(name, requested[name])
        ports[name] = requested[name]
        continue
      }
      const first = remembered[name] ?? (requested[name] === 0 ? undefined : DEFAULT_PORTS[name].port)
      portsToRemember[name] =
        first !== undefined && (await claim(first)) ? first : await claimRandomPort(claim)
      ports[name] = portsToRemember[name]
    }
    return { ports: ports as Ports, portsToRemember, release }
  } catch (error) {
    await release()
    throw error
  }
}

class PortInUseError extends Error {
  constructor(name: PortName, port: number) {
    super(`${DEFAULT_PORTS[name].variable} asks for port ${port}, which another program uses.`)
  }
}

/** Below the range from which systems take ports for outgoing connections, which come and go. */
const PORT_RANGE = { from: 20_000, to: 32_000 }

async function claimRandomPort(claim: (port: number) => Promise<boolean>): Promise<number> {
  for (let attempts = 0; attempts < 1_000; attempts++) {
    const port = PORT_RANGE.from + Math.floor(Math.random() * (PORT_RANGE.to - PORT_RANGE.from))
    if (await claim(port)) return port
  }
  throw new Error(`No port between ${PORT_RANGE.from} and ${PORT_RANGE.to} is free.`)
}

/** Reserves a port that is neither in use nor claimed. */
export async function reserveFreePort(): Promise<{ port: number; release(): Promise<void> }> {
  let lock: FileLock | undefined
  const port = await claimRandomPort(async candidate => {
    lock = await claimPort(candidate)
    return lock !== undefined
  })
  return { port, release: async () => lock?.release() }
}

async function claimPort(port: number): Promise<FileLock | undefined> {
  const lock = await tryFileLock(join(tmpdir(), `trilho-ports-${userInfo().uid}`, String(port)))
  if (!('release' in lock)) return undefined
  if (await isPortFree(port)) return lock
  await lock.release()
  return undefined
}

function isPortFree(port: number): Promise<boolean> {
  return new Promise(resolve => {
    const server = createServer()
    server.once('error', () => resolve(false))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => server.close(() => resolve(true)))
  })
}
