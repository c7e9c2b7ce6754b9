import { hash } from 'node:crypto'
import { createSecureContext } from 'node:tls'
import { Client, type Dispatcher, Pool } from 'undici'
import { lookupBy, nameResolver, orHostsFile, type Resolve } from '../name-resolver.ts'
import { resumingConnector } from '../resuming.ts'
import { connectionsAhead } from './ahead.ts'
import { type SeeCertificate, seeingServerCertificates } from './certificates.ts'
import { exchange, type Reply } from './exchange.ts'

/** PEM texts: our certificate and its key where the far side asks for one, and who may vouch for the far side. */
export type Tls = { certificate?: string | undefined; key?: string | undefined; ca?: string | undefined }

/** A far side, and who we are to it; `timeoutMs` is the one deadline for all of a call. */
export type Far = { origin: string; tls?: Tls | undefined; timeoutMs: number }

/** A name that is not resolved by then is not resolved in the time of a call. */
const RESOLVE_MS = 3_000

/** One address of a host is given this long before the next is tried: Node's 250 ms give up on what is merely far away. */
const ATTEMPT_MS = 1_000

type Request = Dispatcher.DispatchOptions

/** Connections to one far side. */
export type Lines = {
  /** Over one that is kept for the next call. */
  kept(request: Request): Promise<Reply>
  /** Over one of its own, so that a reset idle socket never looks like a request that left. */
  own(request: Request): Promise<Reply>
  /** Opens one for the next call that has its own. */
  openAhead(): void
  /** Lets running calls finish. */
  close(): Promise<void>
}

export type OpenLines = (far: Far) => Lines

/** Why a connection ends with its only call: one for all, because an error of its own would describe where it was made. */
const OVER = new Error('its call is over')

/** Of all who share them: as many calls as a worker makes at once. */
const MOST_CONNECTIONS = 200

/**
 * No redirects and bounded answers. A bad certificate or key throws here, not in a call. Names are resolved by `resolve`, by
 * default without the threads that all look-ups of a process share: a silent name server delays its own provider only.
 */
export function openLines(
  { origin, tls, timeoutMs }: Far,
  resolve: Resolve = orHostsFile(nameResolver({ limitMs: RESOLVE_MS })),
  seeCertificate: SeeCertificate = () => {},
): Lines {
  const secureContext = createSecureContext({ cert: tls?.certificate, key: tls?.key, ca: tls?.ca })
  const connect = resumingConnector({
    lookup: lookupBy(resolve),
    autoSelectFamily: true,
    autoSelectFamilyAttemptTimeout: ATTEMPT_MS,
    secureContext,
    timeout: timeoutMs,
    allowH2: false,
  })
  const connection = {
    connect: seeingServerCertificates(connect, seeCertificate),
    allowH2: false,
    pipelining: 1,
  }
  const pool = new Pool(origin, { ...connection, connections: MOST_CONNECTIONS })
  const ahead = connectionsAhead(connection.connect, origin)
  const limit = { timeoutMs, host: new URL(origin).host }
  return {
    kept: request => exchange(pool, request, limit),
    async own(request) {
      const client = new Client(origin, { ...connection, connect: ahead.take() })
      const reply = await exchange(client, { ...request, reset: true }, limit)
      await client.destroy(OVER)
      return reply
    },
    openAhead: ahead.open,
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
export function sharedLines(seeCertificate?: SeeCertificate): OpenLines {
  const shared = new Map<string, { lines: Lines; users: number }>()
  return far => {
    const key = hash('sha256', JSON.stringify(far))
    const found = shared.get(key) ?? { lines: openLines(far, undefined, seeCertificate), users: 0 }
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
