/** Why a provider could not be reached, or gave no answer, whatever its dialect. */
export const TRANSPORT_CODES = [
  'dns_failed',
  'connection_refused',
  'connection_reset',
  'connection_failed',
  'connection_lost',
  'timeout',
  'tls_failed',
  'certificate_expired',
  'no_token',
] as const
export type TransportCode = (typeof TRANSPORT_CODES)[number]

/** Whether a code says why a provider gave no answer; every other code is a name of the rail or of a provider. */
export function isTransportCode(code: unknown): code is TransportCode {
  return (TRANSPORT_CODES as readonly unknown[]).includes(code)
}
