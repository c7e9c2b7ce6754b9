import { hash } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { type buildConnector, Client, type Dispatcher, Pool } from 'undici'
import {
  createHostResolver,
  type HostResolver,
  toLookupFunction,
  withHostsFile,
} from '../../net/name-resolver.ts'
import { createResumingConnector } from '../../net/tls-resumption.ts'
import { type ObserveCertificate, observeServerCertificates } from './certificates.ts'
import { type ExchangeOutcome, exchangeRequest } from './exchange.ts'
import { createPreconnector } from './preconnect.ts'

/** PEM texts: our certificate and key if the provider requires them, and the authorities that sign the provider's. */
export type TlsCertificates = {
  certificate?: string | undefined
  key?: string | undefined
  ca?: string | undefined
}

/** A provider's origin and our TLS identity; `timeoutMs` limits a whole call, connecting included. */
export type ConnectionTarget = { origin: string; tls?: TlsCertificates | undefined; timeoutMs: number }

/** Limit of a name look-up: a later result would miss the deadline of its call. */
const RESOLVE_TIMEOUT_MS = 3_000

/** Time for one address of a host before the next is tried: Node's 250 ms are too short for distant hosts. */
const CONNECT_ATTEMPT_TIMEOUT_MS = 1_000

type PoolRequest = Dispatcher.DispatchOptions

export type ConnectionPool = ReturnType<typeof openConnectionPool>
export type OpenConnectionPool = (target: ConnectionTarget) => ConnectionPool

/** Reason that closes a connection after its only call; shared, because a new error would capture a stack each time. */
const CALL_FINISHED = new Error('call finished')

/** Limit across all sharing adapters: as many calls as a worker makes at once. */
const MAX_CONNECTIONS = 200

/**
 * Builds the options of connections to a provider. Throws for a bad certificate or key. Names are resolved by
 * `resolve`, by default not on the thread pool that all look-ups of a process share: a silent name server delays its
 * own provider only.
 */
export function buildConnectOptions(
  { tls, timeoutMs }: Omit<ConnectionTarget, 'origin'>,
  resolve: HostResolver = withHostsFile(createHostResolver({ timeoutMs: RESOLVE_TIMEOUT_MS })),
): buildConnector.BuildOptions {
  return {
    lookup: toLookupFunction(resolve),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: CONNECT_ATTEMPT_TIMEOUT_MS,
    secureContext: createSecureContext({ cert: tls?.certificate, key: tls?.key, ca: tls?.ca }),
    timeout: timeoutMs,
    allowH2: false,
  }
}

/** Opens connections to one provider, without redirects, with bounded answers. Throws for a bad certificate or key. */
export function openConnectionPool(
  { origin, tls, timeoutMs }: ConnectionTarget,
  resolve?: HostResolver,
  observeCertificate: ObserveCertificate = () => {},
) {
  const connect = createResumingConnector(buildConnectOptions({ tls, timeoutMs }, resolve))
  const connection = {
    connect: observeServerCertificates(connect, observeCertificate),
    allowH2: false,
    pipelining: 1,
  }
  const pool = new Pool(origin, { ...connection, connections: MAX_CONNECTIONS })
  const preconnector = createPreconnector(connection.connect, origin)
  const limit = { timeoutMs, host: new URL(origin).host }
  return {
    /** Sends on a kept-alive connection. */
    sendPooled: (request: PoolRequest) => exchangeRequest(pool, request, limit),
    /** Sends on a connection of its own, so that a reset idle socket never looks like a request that left. */
    async sendOnOwnConnection(request: PoolRequest): Promise<ExchangeOutcome> {
      const client = new Client(origin, { ...connection, connect: preconnector.take() })
      const outcome = await exchangeRequest(client, { ...request, reset: true }, limit)
      await client.destroy(CALL_FINISHED)
      return outcome
    },
    /** Opens the connection of the next call that has its own. */
    preconnect: preconnector.open,
    /** Lets running calls finish. */
    async close() {
      preconnector.close()
      if (!pool.closed) await pool.close()
    },
  }
}

/** Shares open connections between adapters of one provider and one TLS client; the last user closes the pool. */
export function shareConnectionPools(observeCertificate?: ObserveCertificate): OpenConnectionPool {
  const pools = new Map<string, { pool: ConnectionPool; users: Set<symbol> }>()
  return target => {
    const key = hash('sha256', JSON.stringify(target))
    const open = () => openConnectionPool(target, undefined, observeCertificate)
    const shared = pools.get(key) ?? { pool: open(), users: new Set<symbol>() }
    pools.set(key, shared)
    const user = Symbol()
    shared.users.add(user)
    return {
      ...shared.pool,
      async close() {
        if (!shared.users.delete(user) || shared.users.size > 0) return
        pools.delete(key)
        await shared.pool.close()
      },
    }
  }
}
