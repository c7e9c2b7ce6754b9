import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { z } from 'zod'

/** The certificate by which a client of a provider authenticates its connections, in the credentials: two PEM texts. */

/** Most bytes of one PEM text: a chain of certificates has a few thousand. */
const MAX_PEM_BYTES = 64 * 1024

const pemSchema = z
  .string()
  .refine(text => Buffer.byteLength(text) <= MAX_PEM_BYTES, { message: 'must be at most 64 kB', abort: true })
  .refine(text => text.startsWith('-----BEGIN '), {
    message: 'must be a PEM text, which begins with -----BEGIN',
    abort: true,
  })
  .optional()

/** Fields of credentials with a client certificate, both present or both absent; `checkClientCertificate` compares them. */
export const CLIENT_CERTIFICATE_FIELDS = { certificate: pemSchema, private_key: pemSchema }

export type ClientCertificate = { certificate?: string | undefined; private_key?: string | undefined }

/** Checks that certificate and private key are readable and belong together; each issue names its field, and no value. */
export function checkClientCertificate(
  { certificate: certificateText, private_key: keyText }: ClientCertificate,
  context: Pick<z.core.$RefinementCtx, 'addIssue'>,
): void {
  const addIssue = (field: keyof ClientCertificate, message: string) =>
    context.addIssue({ code: 'custom', path: [field], message })
  if (certificateText === undefined || keyText === undefined) {
    if (keyText !== undefined) addIssue('certificate', 'must be given with the private key')
    if (certificateText !== undefined) addIssue('private_key', 'must be given with the certificate')
    return
  }
  const certificate = parseCertificate(certificateText)
  const key = parsePrivateKey(keyText)
  if (!certificate) addIssue('certificate', 'must be a certificate that can be read')
  if (!key) addIssue('private_key', 'must be a private key that can be read, without a passphrase')
  if (certificate && key && !certificate.checkPrivateKey(key))
    addIssue('private_key', 'must be the private key of the certificate')
}

/** What makes a client certificate useless at a time, by field; `gaps` fills the braces of `text`. */
export type CertificateFault = {
  field: keyof ClientCertificate
  text: string
  gaps?: Record<string, string>
}

/**
 * Finds why a provider would refuse the client certificate of valid credentials at `nowMs`: none is given where the
 * provider requires one, or it is not valid at that time. Null where nothing is wrong.
 */
export function findCertificateFault(
  credentials: unknown,
  { isRequired, nowMs }: { isRequired: boolean; nowMs: number },
): CertificateFault | null {
  const { certificate: text }: { certificate?: unknown } = Object(credentials)
  if (typeof text !== 'string' || text === '')
    return isRequired ? { field: 'certificate', text: 'is required by the provider' } : null
  const certificate = parseCertificate(text)
  if (!certificate) return null // The schema of the credentials refuses it.
  const { validFromDate, validToDate } = certificate
  if (nowMs >= validToDate.getTime())
    return { field: 'certificate', text: 'has expired ({time})', gaps: { time: validToDate.toISOString() } }
  if (nowMs < validFromDate.getTime())
    return {
      field: 'certificate',
      text: 'is not valid yet ({time})',
      gaps: { time: validFromDate.toISOString() },
    }
  return null
}

function parseCertificate(text: string): X509Certificate | undefined {
  try {
    return new X509Certificate(text)
  } catch {
    return undefined
  }
}

function parsePrivateKey(text: string): KeyObject | undefined {
  try {
    return createPrivateKey(text)
  } catch {
    return undefined
  }
}
