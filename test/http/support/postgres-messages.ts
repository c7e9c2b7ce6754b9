import type { Orm } from '../../../src/db/client/orm.ts'

/** What PostgreSQL hears over the only connection of a pool. */
export type CapturedMessages = {
  /** The statements of each message, with their values written in. */
  messages: string[]
  /** The same, one by one. */
  statements: string[]
  /** The texts that were parsed to be kept. */
  kept: string[]
  /** How often PostgreSQL was asked what the columns of an answer are. */
  described: number
  forget(): void
}

/** Of a pool of `pg` with one place, what is written to its server. */
type SingleClientPool = {
  connect(): Promise<{ connection: { stream: { write(bytes: Buffer): boolean } }; release(): void }>
}

/** Listens to a pool with one place. */
export async function captureMessages(orm: Orm): Promise<CapturedMessages> {
  const heard = {
    messages: [] as string[],
    statements: [] as string[],
    kept: [] as string[],
    described: 0,
    forget,
  }
  const named = new Map<string, string>()
  function forget() {
    heard.messages.length = 0
    heard.statements.length = 0
    heard.kept.length = 0
    heard.described = 0
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
        if (name !== '') heard.kept.push(text)
      }
      if (kind === 'B') said.push(bindStatement(body, named))
      if (kind === 'D') heard.described += 1
    }
    heard.statements.push(...said)
    if (said.length > 0) heard.messages.push(said.join('; '))
    return write(bytes)
  }
  release()
  return heard
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

/** A statement by its name, with its values where they stand. */
function bindStatement(body: Buffer, named: Map<string, string>): string {
  const name = readCString(body, 1) // After the portal, which has none.
  let at = name.length + 2
  at += 2 + 2 * body.readInt16BE(at) // How each value is written.
  const values: string[] = []
  for (let left = body.readInt16BE(at); left > 0; left--) {
    const length = body.readInt32BE(at + 2)
    values.push(length < 0 ? 'null' : `'${body.toString('utf8', at + 6, at + 6 + length)}'`)
    at += 4 + Math.max(length, 0)
  }
  return named.get(name)!.replace(/\$(\d+)/g, (_, place) => values[Number(place) - 1]!)
}
