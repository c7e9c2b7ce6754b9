import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { Orm, OrmOptions } from '../../../src/db/client/orm.ts'
import { openTestOrm } from '../../support/orm.ts'

/** What PostgreSQL receives from a pool with one connection. */
export type CapturedMessages = {
  /** The statements of each round trip with their values: what the client sends before it has the first result. */
  messages: string[]
  /** The same, one by one. */
  statements: string[]
  /** The texts of prepared statements. */
  kept: string[]
  forget(): void
}

/** Delay of each result, within which a client sends all that does not wait for it. */
const RESULT_DELAY_MS = 3

/** Opens an ORM with one connection, unless it is given more, through a proxy that records its statements. */
export async function openCapturedOrm(
  databaseUrl: string,
  { poolSize = 1, ...options }: Pick<OrmOptions, 'poolSize' | 'statementMs'> = {},
): Promise<{ orm: Orm; captured: CapturedMessages; close(): Promise<void> }> {
  const target = new URL(databaseUrl)
  const captured: CapturedMessages = {
    messages: [],
    statements: [],
    kept: [],
    forget() {
      captured.messages.length = 0
      captured.statements.length = 0
      captured.kept.length = 0
    },
  }
  const sockets = new Set<Socket>()
  const proxy = createServer(near => {
    const far = connect(Number(target.port), target.hostname)
    for (const socket of [near, far]) {
      sockets.add(socket)
      socket.setNoDelay(true)
      socket.on('error', () => {})
    }
    const readStatements = createStatementReader(captured.kept)
    let isNewRoundTrip = true
    near.on('data', bytes => {
      for (const statement of readStatements(bytes)) {
        captured.statements.push(statement)
        if (isNewRoundTrip) captured.messages.push(statement)
        else captured.messages.push(`${captured.messages.pop()}; ${statement}`)
        isNewRoundTrip = false
      }
      far.write(bytes)
    })
    far.on('data', bytes => {
      setTimeout(() => {
        isNewRoundTrip = true
        near.write(bytes)
      }, RESULT_DELAY_MS)
    })
    near.on('close', () => far.destroy())
    far.on('close', () => setTimeout(() => near.destroy(), RESULT_DELAY_MS))
  })
  await new Promise<void>(done => proxy.listen(0, '127.0.0.1', done))
  const through = new URL(databaseUrl)
  through.hostname = '127.0.0.1'
  through.port = String((proxy.address() as AddressInfo).port)
  const orm = await openTestOrm({ databaseUrl: through.href, poolSize, ...options })
  return {
    orm,
    captured,
    async close() {
      await orm.close()
      proxy.close()
      for (const socket of sockets) socket.destroy()
    },
  }
}

/** Returns a function that reads the statements from the bytes that a client sends. */
function createStatementReader(kept: string[]): (bytes: Buffer) => string[] {
  const named = new Map<string, string>()
  let unread = Buffer.alloc(0)
  let isStarted = false
  return bytes => {
    unread = Buffer.concat([unread, bytes])
    const statements: string[] = []
    for (;;) {
      // https://www.postgresql.org/docs/current/protocol-message-formats.html: a letter, which the first message has
      // not, the length with itself, the rest.
      const start = isStarted ? 1 : 0
      if (unread.length < start + 4) return statements
      const end = start + unread.readInt32BE(start)
      if (unread.length < end) return statements
      const [kind, body] = [String.fromCharCode(unread[0]!), unread.subarray(start + 4, end)]
      unread = unread.subarray(end)
      if (!isStarted) isStarted = true
      else if (kind === 'Q') statements.push(readCString(body, 0))
      else if (kind === 'B') statements.push(bindStatement(body, named))
      else if (kind === 'P') {
        const name = readCString(body, 0)
        const text = readCString(body, name.length + 1)
        named.set(name, text)
        if (name !== '') kept.push(text)
      }
    }
  }
}

function readCString(body: Buffer, from: number): string {
  return body.toString('utf8', from, body.indexOf(0, from))
}

/** A statement by its name, with its values filled in. */
function bindStatement(body: Buffer, named: Map<string, string>): string {
  const name = readCString(body, 1) // After the portal, which has no name.
  let at = name.length + 2
  at += 2 + 2 * body.readInt16BE(at) // The format of each value.
  const values: string[] = []
  for (let left = body.readInt16BE(at); left > 0; left--) {
    const length = body.readInt32BE(at + 2)
    values.push(length < 0 ? 'null' : `'${body.toString('utf8', at + 6, at + 6 + length)}'`)
    at += 4 + Math.max(length, 0)
  }
  return named.get(name)!.replace(/\$(\d+)/g, (_, place) => values[Number(place) - 1]!)
}
