import 'reflect-metadata'
import { webcrypto } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import * as x509 from '@peculiar/x509'

const CURVE = { name: 'ECDSA', namedCurve: 'P-256' } as const
const DAY_MS = 86_400_000

/** `connections`: how many clients have connected. */
export type ExpiredServer = { port: number; connections(): number; close(): void }

/** A TLS server for localhost whose certificate the simulator's authority signed, and which expired yesterday. */
export async function startExpiredServer(simulatorHome: string): Promise<ExpiredServer> {
  const read = (name: string) => readFileSync(join(simulatorHome, 'tls', name), 'utf8')
  const issuer = new x509.X509Certificate(read('ca.pem'))
  const issuerKey = await webcrypto.subtle.importKey(
    'pkcs8',
    x509.PemConverter.decodeFirst(read('ca.key')),
    CURVE,
    false,
    ['sign'],
  )
  const keys = await webcrypto.subtle.generateKey(CURVE, true, ['sign', 'verify'])
  const certificate = await x509.X509CertificateGenerator.create({
    subject: 'CN=localhost',
    issuer: issuer.subject,
    notBefore: new Date(Date.now() - 2 * DAY_MS),
    notAfter: new Date(Date.now() - DAY_MS),
    publicKey: keys.publicKey,
    signingKey: issuerKey,
    signingAlgorithm: { name: 'ECDSA', hash: 'SHA-256' },
    extensions: [new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: 'localhost' }])],
  })
  const key = x509.PemConverter.encode(
    await webcrypto.subtle.exportKey('pkcs8', keys.privateKey),
    'PRIVATE KEY',
  )
  const server = createServer({ cert: certificate.toString('pem'), key }, socket => socket.destroy())
  let connections = 0
  server.on('connection', () => void connections++)
  server.on('tlsClientError', () => {})
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => connections,
    close: () => server.close(),
  }
}
