import 'reflect-metadata'
import { createServer, type IncomingMessage, type RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import {
  BasicConstraintsExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  X509CertificateGenerator,
} from '@peculiar/x509'

const DAY_MS = 86_400_000
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' }

type CertificateNames = { names: string[]; validForDays?: number }
export type CertificateAuthority = Awaited<ReturnType<typeof createAuthority>>

/** A certificate authority that lives as long as the test. */
export async function createAuthority() {
  const keys = await generateKeys()
  const certificate = await X509CertificateGenerator.createSelfSigned({
    name: 'CN=Far Side Authority',
    notBefore: daysFromNow(-10),
    notAfter: daysFromNow(10),
    signingAlgorithm: algorithm,
    keys,
    extensions: [new BasicConstraintsExtension(true, undefined, true)],
  })

  return {
    pem: certificate.toString('pem'),
    /** A key and certificate for host names and addresses; with negative days it has expired already. */
    async issue({ names, validForDays = 5 }: CertificateNames) {
      const own = await generateKeys()
      const leaf = await X509CertificateGenerator.create({
        subject: `CN=${names[0]}`,
        issuer: certificate.subject,
        notBefore: daysFromNow(-9),
        notAfter: daysFromNow(validForDays),
        signingAlgorithm: algorithm,
        signingKey: keys.privateKey,
        publicKey: own.publicKey,
        extensions: [
          new SubjectAlternativeNameExtension(
            names.map(value => ({ type: /^[\d.]+$|:/.test(value) ? 'ip' : 'dns', value })),
          ),
        ],
      })
      const key = await crypto.subtle.exportKey('pkcs8', own.privateKey)
      return { key: PemConverter.encode(key, 'PRIVATE KEY'), cert: leaf.toString('pem') }
    },
  }
}

/** A merchant's server on 127.0.0.1; it records every connection and request. */
export async function startMerchantServer(
  ca: CertificateAuthority,
  identity: CertificateNames,
  listener: RequestListener,
) {
  const seen = { connections: 0, serverNames: [] as unknown[], requests: [] as IncomingMessage[] }
  const sockets = new Set<Duplex>()
  const server = createTlsServer(await ca.issue(identity), (request, response) => {
    seen.requests.push(request)
    listener(request, response)
  })
  server.on('connection', socket => {
    seen.connections += 1
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  server.on('secureConnection', socket => seen.serverNames.push(socket.servername))
  server.on('tlsClientError', () => {})
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))

  return {
    port: (server.address() as AddressInfo).port,
    seen,
    /** Connections open now. */
    countOpenConnections: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise(done => server.close(done))
    },
  }
}

/** A port of 127.0.0.1 without a listener. */
export async function findUnusedPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>(done => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise(done => server.close(done))
  return port
}

export async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

function generateKeys() {
  return crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
}

function daysFromNow(count: number): Date {
  return new Date(Date.now() + count * DAY_MS)
}

/** Checks again until it holds; the test's own limit ends the wait. */
export async function waitUntilHolds(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(done => setTimeout(done, 10))
}
