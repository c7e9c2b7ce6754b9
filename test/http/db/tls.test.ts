import { once } from 'node:events'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { TLSSocket } from 'node:tls'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { openOrm } from '../../../src/db/client/orm.ts'
import { parseTlsOptions } from '../../../src/db/client/tls.ts'
import { createSelfSignedCertificate } from '../../providers/support/certificate.ts'
import { openTestOrm } from '../../support/orm.ts'

/** The TLS parameters of DATABASE_URL are applied, and none is ignored. */

const SSL_REQUEST = 80_877_103
const SECRET = 'secret-word'

let folder: string
let ca: string
let own: Awaited<ReturnType<typeof createSelfSignedCertificate>>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trilho-tls-'))
  ca = join(folder, 'ca.pem')
  own = await createSelfSignedCertificate()
  await writeFile(ca, own.certificate)
})
afterAll(() => rm(folder, { recursive: true }))

const urlWith = (query: string) =>
  `postgres://trilho:${SECRET}@db.example:5432/trilho${query.replace('CA', ca)}`
const checked = { rejectUnauthorized: true, host: 'db.example' }
const nameless = { checkServerIdentity: expect.any(Function) }

test.each([
  ['', () => undefined],
  ['?schema=public', () => undefined],
  ['?sslmode=disable', () => false],
  ['?sslmode=require', () => ({ rejectUnauthorized: false })],
  ['?sslmode=require&sslrootcert=CA', () => ({ ...checked, ca: own.certificate, ...nameless })],
  ['?sslmode=verify-ca', () => checked],
  ['?sslmode=verify-ca&sslrootcert=CA', () => ({ ...checked, ca: own.certificate, ...nameless })],
  ['?sslmode=verify-full', () => checked],
  ['?sslmode=verify-full&sslrootcert=CA', () => ({ ...checked, ca: own.certificate })],
])('a URL with "%s"', (query, expected) => {
  expect(parseTlsOptions(urlWith(query))).toEqual(expected())
})

test.each([
  ['?sslmode=prefer', 'sslmode=prefer'],
  ['?sslmode=', 'sslmode='],
  ['?sslmode=require&sslcert=x.pem', 'sslcert'],
  ['?ssl=true', 'ssl'],
  ['?sslrootcert=CA', 'sslrootcert without an sslmode'],
  ['?sslmode=disable&sslrootcert=CA', 'sslrootcert without an sslmode'],
  ['?sslmode=verify-full&sslrootcert=/none.pem', '/none.pem'],
])('a URL with "%s" is refused by name', async (query, name) => {
  const error = await openOrm({ databaseUrl: urlWith(query) }).then(
    orm => orm.close(),
    (refusal: Error) => refusal,
  )
  expect(error).toMatchObject({ message: expect.stringContaining(name) })
  expect(String(error)).toContain('DATABASE_URL')
  expect(String(error)).not.toContain(SECRET)
})

test.each([
  { host: '127.0.0.1', query: '', asksFirst: false, isTaken: false },
  { host: '127.0.0.1', query: '?sslmode=disable', asksFirst: false, isTaken: false },
  { host: '127.0.0.1', query: '?sslmode=require', asksFirst: true, isTaken: true },
  { host: '127.0.0.1', query: '?sslmode=verify-ca&sslrootcert=CA', asksFirst: true, isTaken: true },
  { host: 'localhost', query: '?sslmode=verify-full&sslrootcert=CA', asksFirst: true, isTaken: true },
  // The certificate does not match the address, and its authority is not a public one.
  { host: '127.0.0.1', query: '?sslmode=verify-full&sslrootcert=CA', asksFirst: true, isTaken: false },
  { host: 'localhost', query: '?sslmode=verify-full', asksFirst: true, isTaken: false },
])('over the network to $host with "$query"', async ({ host, query, asksFirst, isTaken }) => {
  const server = await encrypting()
  const url = `postgres://trilho:${SECRET}@${host}:${server.port}/trilho${query.replace('CA', ca)}`
  const orm = await openTestOrm({ databaseUrl: url })
  await expect(orm.em.fork().execute('select 1')).rejects.toThrow()
  await orm.close()
  await server.close()
  expect(server.heard.map(first => first.readInt32BE(4) === SSL_REQUEST)).toEqual([asksFirst])
  expect(server.encrypted.length > 0).toBe(isTaken)
})

/** It accepts TLS, and disconnects after the first message. */
async function encrypting() {
  const received: Buffer[] = []
  const encrypted: Buffer[] = []
  const server = createServer(async (socket: Socket) => {
    socket.on('error', () => {})
    const [first] = (await once(socket, 'data')) as [Buffer]
    received.push(first)
    if (first.readInt32BE(4) !== SSL_REQUEST) return socket.destroy()
    socket.write('S')
    const inside = new TLSSocket(socket, { isServer: true, key: own.key, cert: own.certificate })
    inside.on('error', () => {})
    inside.once('data', word => {
      encrypted.push(word)
      socket.destroy()
    })
  })
  server.listen(0)
  await once(server, 'listening')
  return {
    heard: received,
    encrypted,
    port: (server.address() as AddressInfo).port,
    close: () => new Promise(done => server.close(done)),
  }
}
