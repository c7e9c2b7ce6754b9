import { X509Certificate } from 'node:crypto'
import { TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'

/** A certificate in use: `name` is the connection that shows it (`client`), or the host that showed it to us (`server`). */
export type ObservedCertificate = { kind: 'client' | 'server'; name: string; notAfter: Date }
export type ObserveCertificate = (certificate: ObservedCertificate) => void

/** Tells when the certificate of a connection's credentials expires; credentials without one say nothing. */
export function observeClientCertificate(see: ObserveCertificate, name: string, credentials: unknown): void {
  const { certificate } = Object(credentials)
  if (typeof certificate !== 'string') return
  see({ kind: 'client', name, notAfter: new X509Certificate(certificate).validToDate })
}

/** The same connector, which tells when the certificate of each far side expires; a resumed session shows none. */
export function observeServerCertificates(
  connect: buildConnector.connector,
  see: ObserveCertificate,
): buildConnector.connector {
  return (target, callback) =>
    connect(target, (...came) => {
      const [, socket] = came
      if (socket instanceof TLSSocket && !socket.isSessionReused()) {
        const shown = socket.getPeerX509Certificate()
        if (shown) see({ kind: 'server', name: target.hostname, notAfter: shown.validToDate })
      }
      callback(...came)
    })
}
