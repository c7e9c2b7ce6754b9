import { randomInt } from 'node:crypto'
import { createSocket } from 'node:dgram'
import { once } from 'node:events'
import { createServer } from 'node:net'

/** Where each is looked for first, and the variable that names another. */
const DEFAULT_PORTS = {
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

export type PortName = keyof typeof DEFAULT_PORTS
export type Ports = Record<PortName, number>

export type PickedPorts = Awaited<ReturnType<typeof pickPorts>>

/**
 * Chooses the ports of all servers. Given ports must be free; 0 means any. The others keep the port of the previous start,
 * else their default, else a free one. Each is claimed until released, so that two starts at the same time never share one.
 */
export async function pickPorts({
  requested,
  remembered,
}: Record<'requested' | 'remembered', Partial<Ports>>) {
  const claims: PortClaim[] = []
  /** Lets go of the claims, once nothing listens any more. */
  const release = () => {
    for (const claim of claims.splice(0)) claim.release()
  }
  const ports: Partial<Ports> = {}
  /** Those that were not given: links and connections point to them. */
  const portsToRemember: Partial<Ports> = {}
  try {
    // Those that are given come first, so that nothing else takes them.
    const names = (Object.keys(DEFAULT_PORTS) as PortName[]).toSorted(
      (a, b) => Number(!requested[a]) - Number(!requested[b]),
    )
    for (const name of names) {
      const given = requested[name]
      const wanted = given || (remembered[name] ?? (given === 0 ? undefined : DEFAULT_PORTS[name].port))
      let claim = wanted === undefined ? undefined : await claimPort(wanted)
      if (given && !claim) {
        const { variable } = DEFAULT_PORTS[name]
        throw new Error(`${variable} asks for port ${given}, which another program uses.`)
      }
      claim ??= await reserveFreePort()
      claims.push(claim)
      ports[name] = claim.port
      if (!given) portsToRemember[name] = claim.port
    }
    return { ports: ports as Ports, portsToRemember, release }
  } catch (error) {
    release()
    throw error
  }
}

/** Below the range from which systems take ports for outgoing connections, which come and go. */
const PORT_RANGE = { from: 20_000, to: 32_000 }

type PortClaim = { port: number; release(): void }

/** Reserves a port that is neither in use nor claimed. */
export async function reserveFreePort(): Promise<PortClaim> {
  for (let attempts = 0; attempts < 1_000; attempts++) {
    const claim = await claimPort(randomInt(PORT_RANGE.from, PORT_RANGE.to))
    if (claim) return claim
  }
  throw new Error(`No port between ${PORT_RANGE.from} and ${PORT_RANGE.to} is free.`)
}

/**
 * Claims a TCP port, unless another program uses it, by the UDP port of the same number: the operating system gives that to
 * one process, of any user, until the process ends. A claim holds also while no server listens, as during a restart;
 * the locks of get-port hold within one process only.
 */
async function claimPort(port: number): Promise<PortClaim | undefined> {
  const [claim, server] = [createSocket('udp4').unref(), createServer()]
  const host = '127.0.0.1'
  try {
    await once(claim.bind({ port, address: host, exclusive: true }), 'listening')
    await once(server.listen({ port, host, exclusive: true }), 'listening')
    return { port, release: () => void claim.close() }
  } catch {
    claim.close()
    return undefined
  } finally {
    server.close()
  }
}
