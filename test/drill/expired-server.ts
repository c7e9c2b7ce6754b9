import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { createServer } from 'node:tls'
import { createCertificate } from '../../packages/simulator/certificate.ts'

const DAY_MS = 86_400_000

/** `connections`: how many clients have connected. */
export type ExpiredServer = { port: number; connections(): number; close(): void }

/** A TLS server for localhost whose certificate the simulator's authority signed, and which expired yesterday. */
export async function startExpiredServer(simulatorHome: string): Promise<ExpiredServer> {
  const read = (name: string) => readFileSync(join(simulatorHome, 'tls', name), 'utf8')
  const { certificate: cert, key } = await createCertificate({
    commonName: 'localhost',
    notBefore: new Date(Date.now() - 2 * DAY_MS),
    notAfter: new Date(Date.now() - DAY_MS),
    hosts: ['localhost'],
    issuer: { certificate: read('ca.pem'), key: read('ca.key') },
  })
  const server = createServer({ cert, key }, socket => socket.destroy())
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
