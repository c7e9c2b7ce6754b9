import { hash } from 'node:crypto'
import { setTimeout as pause } from 'node:timers/promises'
import { createSecureContext } from 'node:tls'
import { buildConnector, Client, type Dispatcher, Pool } from 'undici'
import {
  createHostResolver,
  type HostResolver,
  toLookupFunction,
  withHostsFile,
} from '../../net/name-resolver.ts'
import { createResumingConnector, toConnectTarget } from '../../net/tls-resumption.ts'
import { type ObserveCertificate, observeServerCertificates } from './certificates.ts'
import { type ExchangeOutcome, exchangeRequest } from './exchange.ts'

/** PEM texts: our certificate and key if the provider requires them, and the authorities that sign the provider's. */
export type TlsCertificates = {
  certificate?: string | undefined
  key?: string | undefined
  ca?: string | undefined
}

/** A provider's origin and our TLS identity; `timeoutMs` limits a whole call, connecting included. */
type ConnectionTarget = { origin: string; tls?: TlsCertificates | undefined; timeoutMs: number }

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
function buildConnectOptions(
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
    const openPool = () => openConnectionPool(target, undefined, observeCertificate)
    const sharedPool = pools.get(key) ?? { pool: openPool(), users: new Set<symbol>() }
    pools.set(key, sharedPool)
    const user = Symbol()
    sharedPool.users.add(user)
    return {
      ...sharedPool.pool,
      async close() {
        if (!sharedPool.users.delete(user) || sharedPool.users.size > 0) return
        pools.delete(key)
        await sharedPool.pool.close()
      },
    }
  }
}

type Connector = buildConnector.connector
type ConnectResult = Parameters<buildConnector.Callback>
type PendingConnection = { result: Promise<ConnectResult>; expiryTimer: NodeJS.Timeout }

/** Much longer than a transaction takes, and shorter than any server waits for a first request. */
const MAX_IDLE_MS = 2_000

/**
 * Opens connections shortly before they are needed, while the transaction that records a payout is committed. Each
 * carries at most one request, which gets the connection's result: if connecting failed, the provider was not
 * reached; if the server closed it meanwhile, no byte has left, and a new connection is opened instead.
 */
function createPreconnector(connect: Connector, origin: string) {
  const target = toConnectTarget(new URL(origin))
  const connections = new Set<PendingConnection>()

  function open(): void {
    const connecting = new Promise<ConnectResult>(resolve => connect(target, (...args) => resolve(args)))
    // Not awaited here: an error becomes a result.
    const result = connecting.catch((error: Error): ConnectResult => [error, null])
    const connection = { result, expiryTimer: setTimeout(() => discard(connection), MAX_IDLE_MS) }
    connections.add(connection)
  }

  /** Returns the connector of the next request. */
  function take(): Connector {
    const [connection] = connections
    if (!connection) return connect
    remove(connection)
    return (requestTarget, callback) =>
      void connection.result.then(result => {
        const [, socket] = result
        if (socket?.destroyed) connect(requestTarget, callback)
        else callback(...result)
      })
  }

  function remove(connection: PendingConnection): void {
    clearTimeout(connection.expiryTimer)
    connections.delete(connection)
  }

  function discard(connection: PendingConnection): void {
    remove(connection)
    void connection.result.then(([, socket]) => socket?.destroy())
  }

  return { open, take, close: () => [...connections].forEach(discard) }
}

/** Shorter than the timeout of a provider call, so that a probe adds less to a call that failed to connect. */
const PROBE_TIMEOUT_MS = 3_000

/** Matches OpenSSL's names of alerts that the server sent, such as one for a missing client certificate. */
const SERVER_ALERT_PATTERN = /_ALERT_/

/** Creates a probe of an origin by name look-up, TCP and a full TLS handshake; a server that sends an alert is reached too. */
export function createConnectionProbe(timeoutMs = PROBE_TIMEOUT_MS): (origin: string) => Promise<boolean> {
  // Without cached sessions: a resumed one would not verify the server's certificate.
  const connect = buildConnector({ ...buildConnectOptions({ timeoutMs }), maxCachedSessions: 0 })
  return origin => {
    const connected = new Promise<boolean>(resolve =>
      connect(toConnectTarget(new URL(origin)), (error, socket) => {
        socket?.destroy()
        resolve(error === null || SERVER_ALERT_PATTERN.test(String(Object(error).code)))
      }),
    )
    return Promise.race([connected, pause(timeoutMs, false, { ref: false })])
  }
}
