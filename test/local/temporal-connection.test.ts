import { once } from 'node:events'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type TLSSocket } from 'node:tls'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type CertificateAuthority, openCertificateAuthority } from '../../packages/simulator/certificates.ts'
import { readConfig } from '../../src/config.ts'
import { connectToTemporal } from '../../src/temporal/connection.ts'

/** The settings of the connection to Temporal reach the clients, and certificates are checked before. */

let folder: string
let ca: CertificateAuthority
let otherCa: CertificateAuthority
const files = {} as Record<'certificate' | 'key', string>
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'trilho-temporal-'))
  ca = await openCertificateAuthority(join(folder, 'ours'))
  otherCa = await openCertificateAuthority(join(folder, 'others'))
  const client = await ca.issueClientCertificate('worker')
  for (const name of ['certificate', 'key'] as const) {
    files[name] = join(folder, `client.${name}`)
    await writeFile(files[name], client[name])
  }
})
afterAll(() => rm(folder, { recursive: true }))

const read = (variables: NodeJS.ProcessEnv) =>
  readConfig({
    DATABASE_URL: 'postgres://trilho@localhost/trilho',
    TRILHO_SECRET_KEY: `a:${Buffer.alloc(32, 1).toString('base64')}`,
    ...variables,
  }).temporal
/** The options that a client of Temporal would be opened with. */
const readOptions = (variables: NodeJS.ProcessEnv) => {
  const { address, credentials } = read(variables)
  return { address, ...credentials }
}
const PROFILES = `
[profile.default]
address = "127.0.0.1:7233"
[profile.cloud]
address = "payments.a1b2c.tmprl.cloud:7233"
namespace = "payments.a1b2c"
api_key = "key-of-the-file"
`

describe('settings', () => {
  test('an address alone is a connection in the clear', () => {
    expect(read({ TEMPORAL_ADDRESS: 'localhost:7233' })).toMatchObject({
      address: 'localhost:7233',
      namespace: 'default',
      credentials: { apiKey: undefined, tls: undefined },
    })
  })

  test('an API key turns TLS on', () => {
    expect(readOptions({ TEMPORAL_ADDRESS: 'cloud.test:7233', TEMPORAL_API_KEY: 'secret' })).toMatchObject({
      address: 'cloud.test:7233',
      apiKey: 'secret',
      tls: true,
    })
  })

  test('a client certificate and an authority are read from their files', () => {
    const { tls } = readOptions({
      TEMPORAL_ADDRESS: 'cloud.test:7233',
      TEMPORAL_TLS_CLIENT_CERT_PATH: files.certificate,
      TEMPORAL_TLS_CLIENT_KEY_PATH: files.key,
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: ca.caFile,
      TEMPORAL_TLS_SERVER_NAME: 'temporal.test',
    })
    const { serverNameOverride, serverRootCACertificate, clientCertPair } = Object(tls)
    expect(serverNameOverride).toBe('temporal.test')
    expect(Buffer.from(serverRootCACertificate).toString()).toBe(ca.ca)
    expect(Buffer.from(clientCertPair.crt).toString()).toContain('BEGIN CERTIFICATE')
    expect(Buffer.from(clientCertPair.key).toString()).toContain('BEGIN PRIVATE KEY')
  })

  test('a profile of a file gives what no variable sets', async () => {
    const TEMPORAL_CONFIG_FILE = join(folder, 'temporal.toml')
    await writeFile(TEMPORAL_CONFIG_FILE, PROFILES)
    expect(readOptions({ TEMPORAL_CONFIG_FILE })).toMatchObject({ address: '127.0.0.1:7233' })
    const cloud = read({ TEMPORAL_CONFIG_FILE, TEMPORAL_PROFILE: 'cloud', TEMPORAL_NAMESPACE: 'other' })
    expect(cloud).toMatchObject({
      address: 'payments.a1b2c.tmprl.cloud:7233',
      namespace: 'other',
      credentials: { apiKey: 'key-of-the-file', tls: true },
    })
  })

  test('a file in the home folder is read only where a profile is named', async () => {
    const home = join(folder, 'home')
    const config = await openHome(home)
    expect(readOptions({ HOME: home, TEMPORAL_ADDRESS: 'localhost:7233' })).toMatchObject({
      apiKey: undefined,
    })
    expect(readOptions({ XDG_CONFIG_HOME: config, TEMPORAL_PROFILE: 'cloud' })).toMatchObject({
      apiKey: 'key-of-the-file',
    })
  })

  test.each<[what: string, variables: NodeJS.ProcessEnv]>([
    ['a profile that is not there', { TEMPORAL_PROFILE: 'nowhere', TEMPORAL_CONFIG_FILE: '/nowhere.toml' }],
    [
      'a certificate that is not there',
      { TEMPORAL_TLS_CLIENT_CERT_PATH: '/nowhere.pem', TEMPORAL_TLS_CLIENT_KEY_PATH: '/nowhere.key' },
    ],
    ['a text that is neither true nor false', { TEMPORAL_TLS: 'yes' }],
    ['no address', { TEMPORAL_ADDRESS: '' }],
  ])('%s is refused', (_what, variables) => {
    const parse = () => read({ TEMPORAL_ADDRESS: 'localhost:7233', ...variables })
    expect(parse).toThrow(
      expect.objectContaining({ name: 'StartupRefusal', message: expect.stringContaining('TEMPORAL_') }),
    )
  })

  test('a file that is not valid is refused without a line of it', async () => {
    const TEMPORAL_CONFIG_FILE = join(folder, 'broken.toml')
    await writeFile(TEMPORAL_CONFIG_FILE, 'api_key = secret-of-the-file')
    const parse = () => read({ TEMPORAL_CONFIG_FILE })
    expect(parse).toThrow(/TEMPORAL_CONFIG_FILE/)
    expect(parse).not.toThrow('secret-of-the-file')
  })
})

describe('certificates', () => {
  const settings = (port: number, variables: NodeJS.ProcessEnv = {}) =>
    read({
      TEMPORAL_ADDRESS: `localhost:${port}`,
      TEMPORAL_TLS_SERVER_CA_CERT_PATH: ca.caFile,
      ...variables,
    })
  const connect = (server: ReturnType<typeof read>) => connectToTemporal(server, options => options)

  test('of both sides are accepted, and the client gets the options', async () => {
    await using server = await startTlsServer({ requestCert: true, rejectUnauthorized: true })
    const options = await connect(
      settings(server.port, {
        TEMPORAL_TLS_CLIENT_CERT_PATH: files.certificate,
        TEMPORAL_TLS_CLIENT_KEY_PATH: files.key,
      }),
    )
    expect(options).toMatchObject({ address: `localhost:${server.port}`, tls: { clientCertPair: {} } })
    expect(server.clients).toEqual(['worker'])
  })

  test('of an unknown authority are refused in one sentence', async () => {
    await using server = await startTlsServer()
    const refused = connect(settings(server.port, { TEMPORAL_TLS_SERVER_CA_CERT_PATH: otherCa.caFile }))
    await expect(refused).rejects.toMatchObject({
      name: 'StartupRefusal',
      message: expect.stringContaining('TEMPORAL_TLS_SERVER_CA_CERT_PATH'),
    })
  })

  test('of another name are refused', async () => {
    await using server = await startTlsServer()
    const refused = connect(settings(server.port, { TEMPORAL_TLS_SERVER_NAME: 'other.test' }))
    await expect(refused).rejects.toThrow(/ERR_TLS_CERT_ALTNAME_INVALID/)
  })

  test('that a client lacks are refused', async () => {
    await using server = await startTlsServer({ requestCert: true, rejectUnauthorized: true })
    await expect(connect(settings(server.port))).rejects.toMatchObject({ name: 'StartupRefusal' })
  })

  test('are not a reason where the server is unreachable', async () => {
    const { port, [Symbol.asyncDispose]: close } = await startTlsServer()
    await close()
    await expect(connect(settings(port))).rejects.toMatchObject({ code: 'ECONNREFUSED' })
  })
})

async function openHome(home: string): Promise<string> {
  const config = join(home, '.config')
  await mkdir(join(config, 'temporalio'), { recursive: true })
  await writeFile(join(config, 'temporalio/temporal.toml'), PROFILES)
  return config
}

/** A TLS server on loopback that sends a byte, as a server of HTTP/2 sends its settings. */
async function startTlsServer(options: { requestCert?: boolean; rejectUnauthorized?: boolean } = {}) {
  const { certificate: cert, key } = await ca.issueServerCertificate(['localhost', '127.0.0.1'])
  const clients: unknown[] = []
  const sockets = new Set<TLSSocket>()
  const server = createServer({ cert, key, ca: ca.ca, ALPNProtocols: ['h2'], ...options }, socket => {
    clients.push(socket.getPeerCertificate().subject?.CN)
    sockets.add(socket.on('error', () => {}))
    socket.write('.')
  })
  server.on('tlsClientError', () => {})
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    clients,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise(done => server.close(done))
    },
  }
}
