import { Gauge, type Registry } from 'prom-client'
import type { ObservedCertificate } from '../providers/http/certificates.ts'

/** One that lasts longer than this has no series: connections with certificates of their own may be thousands. */
const EXPIRY_WINDOW_MS = 30 * 86_400_000

/** When certificates that are shown or met expire, of those that expire soon or have expired. */
export function createCertificateGauge(registry: Registry, now: () => number = Date.now) {
  const seen = new Map<string, ObservedCertificate>()
  new Gauge({
    name: 'trilho_certificate_not_after_seconds',
    help: 'When a certificate expires, in seconds since 1970: of a connection (client) or a host (server), 30 days ahead.',
    labelNames: ['kind', 'name'],
    registers: [registry],
    collect() {
      this.reset()
      for (const { kind, name, notAfter } of seen.values())
        if (notAfter.getTime() - now() < EXPIRY_WINDOW_MS) this.set({ kind, name }, notAfter.getTime() / 1000)
    },
  })
  return (certificate: ObservedCertificate): void =>
    void seen.set(`${certificate.kind}/${certificate.name}`, certificate)
}
