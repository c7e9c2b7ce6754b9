import { X509Certificate } from 'node:crypto'
import { type BrCode, type BrCodeFault, parseBrCode } from '../domain/pix/br-code.ts'
import type { CodeReading } from '../domain/qr-codes/code-reading.ts'
import { createAddressPolicy } from '../webhook-client/address-policy.ts'
import { buildPlainValue, readChargeDocument, readRecurrenceDocument } from './documents.ts'
import { createLocationClient, type LocationClientOptions } from './location-client.ts'
import { type DocumentFault, verifyDocument } from './signed-document.ts'

/** What is wrong with a code or with what its location shows. */
export type CodeFault =
  | BrCodeFault
  | DocumentFault
  | 'refused_address'
  | 'too_large'
  | 'location_redirect'
  | 'location_empty'
  | 'location_refusal'
  | 'location_withdrawal'

/** `no_answer`: a bank of the code did not answer, so that nothing is known of the code. */
type CodeReadingOutcome =
  | { kind: 'read'; reading: CodeReading }
  | { kind: 'invalid'; fault: CodeFault }
  | { kind: 'no_answer' }

/** `payOn`: the day of payment in Brasília, `codMun`: the payer's municipality (IBGE); both change what a charge with a due date asks. */
type CodeReadingOptions = { payOn?: string | undefined; codMun?: string | undefined; limitMs: number }

/** Reads a code as a payer's bank does: its text, then the signed documents at its locations, within `limitMs`. Never rejects. */
export type CodeReader = (payload: string, options: CodeReadingOptions) => Promise<CodeReadingOutcome>

export type CodeReaderOptions = LocationClientOptions & {
  /** PEM certificates that the chain of a signing certificate may end in; absent: no chain is checked. */
  trustStore?: string
  now?: () => Date
}

/** Longest time for the locations of a code and the keys of their documents together. */
const MAX_READING_MS = 5_000

/** Creates the reader of codes by the configuration: locations are reached by the address rules of webhooks. */
export function createConfiguredCodeReader({
  loopbackWebhooks,
  codeTrustStore,
}: {
  loopbackWebhooks: boolean
  codeTrustStore: string | undefined
}): CodeReader {
  return createCodeReader({
    policy: createAddressPolicy({ canReachLoopback: loopbackWebhooks }),
    ...(codeTrustStore !== undefined && { trustStore: codeTrustStore }),
  })
}

/** Creates the reader of codes, one per process. Throws for a trust store without a certificate. */
export function createCodeReader({
  trustStore,
  now: getNow = () => new Date(),
  ...clientOptions
}: CodeReaderOptions): CodeReader {
  const client = createLocationClient(clientOptions)
  const trustedRoots = trustStore === undefined ? [] : parseTrustStore(trustStore)

  /** Reads and verifies the document at a location. */
  async function readLocation(
    location: string,
    query: Record<string, string | undefined>,
    signal: AbortSignal,
  ) {
    if (!URL.canParse(`https://${location}`)) return refuseReading('location')
    const url = new URL(`https://${location}`)
    for (const [name, value] of Object.entries(query))
      if (value !== undefined) url.searchParams.set(name, value)
    const answer = await client(url, signal)
    if (answer.kind === 'no_answer') return answer
    if (answer.kind !== 'answered') return refuseReading(answer.kind)
    const { status, body } = answer
    if (status >= 300 && status < 400) return refuseReading('location_redirect')
    // pix-api, CobPayloadNaoEncontrado and RecPayloadNaoEncontrado: paid, removed, expired, or unknown.
    if (status === 404 || status === 410) return refuseReading('location_empty')
    if (status === 400) return refuseReading('location_refusal')
    if (status !== 200) return NO_ANSWER
    return verifyDocument(body.trim(), { location: url, client, signal, now: getNow(), trustedRoots })
  }

  /** Reads the charge at a location. */
  async function readCharge(
    code: BrCode & { paymentLocation: string },
    { payOn, codMun }: CodeReadingOptions,
    signal: AbortSignal,
  ): Promise<CodeReadingOutcome> {
    // Only the document of a charge with a due date depends on these (pix-api, `GET /cobv/{pixUrlAccessToken}`).
    const query = /\/cobv\//.test(code.paymentLocation) ? { DPP: payOn, codMun } : {}
    const document = await readLocation(code.paymentLocation, query, signal)
    if (document.kind !== 'verified') return document
    const now = getNow()
    const charge = readChargeDocument(document.content, { now, payOn, receiverName: code.receiverName })
    if (charge === 'unreadable') return refuseReading('document')
    if (charge === 'withdrawal') return refuseReading('location_withdrawal')
    return { kind: 'read', reading: { ...charge, signature: document.signature } }
  }

  async function readRecurrence(location: string, signal: AbortSignal): Promise<CodeReadingOutcome> {
    const document = await readLocation(location, {}, signal)
    if (document.kind !== 'verified') return document
    const recurrence = readRecurrenceDocument(document.content)
    if (recurrence === 'unreadable') return refuseReading('document')
    return { kind: 'read', reading: { ...recurrence, signature: document.signature } }
  }

  return async (payload, options) => {
    const code = parseBrCode(payload)
    if (code.kind === 'invalid') return code
    if (code.kind === 'static') return { kind: 'read', reading: readStaticCode(code) }
    const signal = AbortSignal.timeout(Math.floor(Math.max(0, Math.min(options.limitMs, MAX_READING_MS))))
    if (code.kind === 'recurrence') return readRecurrence(code.recurrenceLocation, signal)
    const charge = await readCharge(code, options, signal)
    if (code.kind === 'dynamic' || charge.kind !== 'read') return charge
    return { kind: 'read', reading: { ...charge.reading, kind: 'COMPOSITE' } }
  }
}

/** What a static code says of itself: nothing of it is signed, and it is payable while its key exists. */
function readStaticCode({ key, cents, txid, receiverName }: BrCode & { kind: 'static' }): CodeReading {
  return {
    kind: 'STATIC',
    receiverName,
    receiverDocument: '',
    pixKey: key,
    txid,
    value: buildPlainValue(cents ?? 0, cents === null),
    status: 'PAYABLE',
    expiresAt: null,
    signature: 'UNVERIFIED',
  }
}

function parseTrustStore(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
  if (blocks.length === 0) throw new Error('the trust store of PIX codes has no certificate')
  return blocks.map(block => new X509Certificate(block))
}

const NO_ANSWER = { kind: 'no_answer' } as const

function refuseReading(fault: CodeFault): { kind: 'invalid'; fault: CodeFault } {
  return { kind: 'invalid', fault }
}
