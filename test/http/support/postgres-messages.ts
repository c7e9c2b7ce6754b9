import type { Orm } from '../../../src/db/client/orm.ts'

/** The messages that PostgreSQL receives over the only connection of a pool. */
export type CapturedMessages = {
  /** The statements of each message, with their values filled in. */
  messages: string[]
  /** The same, one by one. */
  statements: string[]
  /** The texts of prepared statements. */
  kept: string[]
  /** How often PostgreSQL was asked to describe a result's columns. */
  described: number
  forget(): void
}

/** Records what a `pg` pool with one connection writes to its server. */
type SingleClientPool = {
  connect(): Promise<{ connection: { stream: { write(bytes: Buffer): boolean } }; release(): void }>
}

/** Records the messages of a pool with one connection. */
export async function captureMessages(orm: Orm): Promise<CapturedMessages> {
  const recorded = {
    messages: [] as string[],
    statements: [] as string[],
    kept: [] as string[],
    described: 0,
    forget,
  }
  const named = new Map<string, string>()
  function forget() {
    recorded.messages.length = 0
    recorded.statements.length = 0
    recorded.kept.length = 0
    recorded.described = 0
  }
  const pool = (await orm.em.getConnection().getNativeClient()) as unknown as SingleClientPool
  const { connection, release } = await pool.connect()
  const write = connection.stream.write.bind(connection.stream)
  connection.stream.write = bytes => {
    const said: string[] = []
    for (const { kind, body } of framesOf(bytes)) {
      if (kind === 'Q') said.push(readCString(body, 0))
      if (kind === 'P') {
        const name = readCString(body, 0)
        const text = readCString(body, name.length + 1)
        named.set(name, text)
        if (name !== '') recorded.kept.push(text)
      }
      if (kind === 'B') said.push(bindStatement(body, named))
      if (kind === 'D') recorded.described += 1
    }
    recorded.statements.push(...said)
    if (said.length > 0) recorded.messages.push(said.join('; '))
    return write(bytes)
  }
  release()
  return recorded
}

/** https://www.postgresql.org/docs/current/protocol-message-formats.html: a letter, the length with itself, the rest. */
function* framesOf(bytes: Buffer) {
  for (let at = 0; at < bytes.length; ) {
    const end = at + 1 + bytes.readInt32BE(at + 1)
    yield { kind: String.fromCharCode(bytes[at]!), body: bytes.subarray(at + 5, end) }
    at = end
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
