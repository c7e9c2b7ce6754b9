import type { IncomingMessage, RequestListener } from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { reserveFreePort } from '../../../packages/dev/os/ports.ts'
import { createCertificate } from '../../../packages/simulator/certificate.ts'

const DAY_MS = 86_400_000

type CertificateNames = { names: string[]; validForDays?: number }
export type CertificateAuthority = Awaited<ReturnType<typeof createAuthority>>

/** A certificate authority that lives as long as the test. */
export async function createAuthority() {
  const authority = await createCertificate({
    commonName: 'Far Side Authority',
    notBefore: daysFromNow(-10),
    notAfter: daysFromNow(10),
    authority: true,
  })

  return {
    pem: authority.certificate,
    /** A key and certificate for host names and addresses; with negative days it has expired already. */
    async issue({ names, validForDays = 5 }: CertificateNames) {
      const { certificate: cert, key } = await createCertificate({
        commonName: names[0] ?? '',
        notBefore: daysFromNow(-9),
        notAfter: daysFromNow(validForDays),
        hosts: names,
        issuer: authority,
      })
      return { key, cert }
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
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))

  return {
    port: (server.address() as AddressInfo).port,
    seen,
    /** Connections open now. */
    countOpenConnections: () => sockets.size,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise(resolve => server.close(resolve))
    },
  }
}

/** A port of 127.0.0.1 without a listener, until this process ends. */
export async function findUnusedPort(): Promise<number> {
  return (await reserveFreePort()).port
}

export async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = []
  for await (const part of request) parts.push(part)
  return Buffer.concat(parts).toString('utf8')
}

function daysFromNow(count: number): Date {
  return new Date(Date.now() + count * DAY_MS)
}

/** Checks again until it holds; the test's own limit ends the wait. */
export async function waitUntilHolds(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise(resolve => setTimeout(resolve, 10))
}
