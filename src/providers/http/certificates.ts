import { X509Certificate } from 'node:crypto'
import { TLSSocket } from 'node:tls'
import type { buildConnector } from 'undici'

/** A certificate in use: `name` is the connection that presents it (`client`) or the host that did (`server`). */
export type ObservedCertificate = { kind: 'client' | 'server'; name: string; notAfter: Date }
export type ObserveCertificate = (certificate: ObservedCertificate) => void

/** Reports the expiry of the certificate in a connection's credentials, if there is one. */
export function observeClientCertificate(observe: ObserveCertificate, name: string, credentials: unknown) {
  const { certificate } = Object(credentials)
  if (typeof certificate !== 'string') return
  observe({ kind: 'client', name, notAfter: new X509Certificate(certificate).validToDate })
}

/** Wraps a connector to report the expiry of each server certificate; a resumed session has none. */
export function observeServerCertificates(
  connect: buildConnector.connector,
  observe: ObserveCertificate,
): buildConnector.connector {
  return (target, callback) =>
    connect(target, (...result) => {
      const [, socket] = result
      if (socket instanceof TLSSocket && !socket.isSessionReused()) {
        const certificate = socket.getPeerX509Certificate()
        if (certificate) observe({ kind: 'server', name: target.hostname, notAfter: certificate.validToDate })
      }
      callback(...result)
    })
}
