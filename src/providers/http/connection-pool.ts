import { hash } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { Client, type Dispatcher, Pool } from 'undici'
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

/** PEM texts: our certificate and its key where the far side asks for one, and who may vouch for the far side. */
export type TlsCertificates = {
  certificate?: string | undefined
  key?: string | undefined
  ca?: string | undefined
}

/** A far side, and who we are to it; `timeoutMs` is the one deadline for all of a call. */
export type ConnectionTarget = { origin: string; tls?: TlsCertificates | undefined; timeoutMs: number }

/** A name that is not resolved by then is not resolved in the time of a call. */
const RESOLVE_TIMEOUT_MS = 3_000

/** One address of a host is given this long before the next is tried: Node's 250 ms give up on what is merely far away. */
const CONNECT_ATTEMPT_TIMEOUT_MS = 1_000

type PoolRequest = Dispatcher.DispatchOptions

/** Connections to one far side. */
export type ConnectionPool = {
  /** Over one that is kept for the next call. */
  sendPooled(request: PoolRequest): Promise<ExchangeOutcome>
  /** Over one of its own, so that a reset idle socket never looks like a request that left. */
  sendOnOwnConnection(request: PoolRequest): Promise<ExchangeOutcome>
  /** Opens one for the next call that has its own. */
  preconnect(): void
  /** Lets running calls finish. */
  close(): Promise<void>
}

export type OpenConnectionPool = (far: ConnectionTarget) => ConnectionPool

/** Why a connection ends with its only call: one for all, because an error of its own would describe where it was made. */
const CALL_FINISHED = new Error('its call is over')

/** Of all who share them: as many calls as a worker makes at once. */
const MAX_CONNECTIONS = 200

/**
 * No redirects and bounded answers. A bad certificate or key throws here, not in a call. Names are resolved by `resolve`, by
 * default without the threads that all look-ups of a process share: a silent name server delays its own provider only.
 */
export function openConnectionPool(
  { origin, tls, timeoutMs }: ConnectionTarget,
  resolve: HostResolver = withHostsFile(createHostResolver({ timeoutMs: RESOLVE_TIMEOUT_MS })),
  seeCertificate: ObserveCertificate = () => {},
): ConnectionPool {
  const secureContext = createSecureContext({ cert: tls?.certificate, key: tls?.key, ca: tls?.ca })
  const connect = createResumingConnector({
    lookup: toLookupFunction(resolve),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: CONNECT_ATTEMPT_TIMEOUT_MS,
    secureContext,
    timeout: timeoutMs,
    allowH2: false,
  })
  const connection = {
    connect: observeServerCertificates(connect, seeCertificate),
    allowH2: false,
    pipelining: 1,
  }
  const pool = new Pool(origin, { ...connection, connections: MAX_CONNECTIONS })
  const ahead = createPreconnector(connection.connect, origin)
  const limit = { timeoutMs, host: new URL(origin).host }
  return {
    sendPooled: request => exchangeRequest(pool, request, limit),
    async sendOnOwnConnection(request) {
      const client = new Client(origin, { ...connection, connect: ahead.take() })
      const reply = await exchangeRequest(client, { ...request, reset: true }, limit)
      await client.destroy(CALL_FINISHED)
      return reply
    },
    preconnect: ahead.open,
    async close() {
      ahead.close()
      if (!pool.closed) await pool.close()
    },
  }
}

/**
 * Lines that all share who call the same far side as the same party, as most accounts at one provider do: what one of them
 * has opened the next one finds open, with the session of its TLS. The last one closes them.
 */
export function shareConnectionPools(seeCertificate?: ObserveCertificate): OpenConnectionPool {
  const shared = new Map<string, { lines: ConnectionPool; users: number }>()
  return far => {
    const key = hash('sha256', JSON.stringify(far))
    const found = shared.get(key) ?? { lines: openConnectionPool(far, undefined, seeCertificate), users: 0 }
    shared.set(key, found)
    found.users += 1
    let isUsed = true
    return {
      ...found.lines,
      async close() {
        if (!isUsed) return
        isUsed = false
        found.users -= 1
        if (found.users > 0) return
        shared.delete(key)
        await found.lines.close()
      },
    }
  }
}
