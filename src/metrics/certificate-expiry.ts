import { Gauge, type Registry } from 'prom-client'
import type { ObservedCertificate } from '../providers/http/certificates.ts'

/** Certificates that expire later have no series: thousands of connections may have certificates of their own. */
const EXPIRY_WINDOW_MS = 30 * 86_400_000

/** Creates the gauge of expiry times of client and server certificates that expire soon or have expired. */
export function createCertificateGauge(registry: Registry, now: () => number = Date.now) {
  const certificates = new Map<string, ObservedCertificate>()
  new Gauge({
    name: 'trilho_certificate_not_after_seconds',
    help: 'Expiry of a certificate of a connection (client) or a host (server), in seconds since 1970; shown 30 days ahead.',
    labelNames: ['kind', 'name'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { kind, name, notAfter } of certificates.values())
        if (notAfter.getTime() - now() < EXPIRY_WINDOW_MS) this.set({ kind, name }, notAfter.getTime() / 1000)
    },
  })
  return (certificate: ObservedCertificate): void =>
    void certificates.set(`${certificate.kind}/${certificate.name}`, certificate)
}
