import { type DocumentKind, detectDocumentKind, normalizeDocument } from '../pix/document.ts'

/** SPEC §2: who may pay a charge, and whether the payer of a received PIX is that one. */

export const PAYER_KINDS = ['PERSON', 'COMPANY'] as const
export type PayerKind = (typeof PAYER_KINDS)[number]

/** FULL: the debtor's own CPF or CNPJ. ROOT: any CNPJ with the first eight characters of the debtor's, as its branches have. */
export const DOCUMENT_MATCHES = ['FULL', 'ROOT'] as const
export type DocumentMatch = (typeof DOCUMENT_MATCHES)[number]

/** Who may pay a charge. At least one of `document` and `kind` is set. */
export type PayerRestriction = {
  /** The debtor's CPF or CNPJ, upper case; null where any document of the kind may pay. */
  document: string | null
  match: DocumentMatch
  kind: PayerKind | null
}

export type PayerJudgement = 'allowed' | 'wrong' | 'unknown'

const KIND_OF_DOCUMENT: Record<DocumentKind, PayerKind> = { CPF: 'PERSON', CNPJ: 'COMPANY' }
const CNPJ_ROOT_LENGTH = 8

/**
 * Judges the payer of a received PIX. `unknown`: the provider reports no document, a masked one, or one with wrong check digits;
 * what is visible of it decides nothing. Formatting (`.`, `-`, `/`) does not count.
 */
export function judgePayer(
  { document, match, kind }: PayerRestriction,
  reportedDocument: string | null | undefined,
): PayerJudgement {
  const payer = normalizeDocument(reportedDocument ?? '').replaceAll(/[./-]/g, '')
  const documentKind = detectDocumentKind(payer)
  if (!documentKind) return 'unknown'
  if (kind && KIND_OF_DOCUMENT[documentKind] !== kind) return 'wrong'
  if (document === null) return 'allowed'
  if (match === 'FULL') return payer === document ? 'allowed' : 'wrong'
  const hasRoot =
    documentKind === 'CNPJ' && payer.slice(0, CNPJ_ROOT_LENGTH) === document.slice(0, CNPJ_ROOT_LENGTH)
  return hasRoot ? 'allowed' : 'wrong'
}

/** The fields of a request that say who may pay; undefined where absent or unreadable. */
export type PayerFields = {
  verifySender?: boolean | undefined
  /** `document` is undefined where it is no CPF or CNPJ. */
  debtor?: { document?: string | undefined } | undefined
  kind?: PayerKind | undefined
  match?: DocumentMatch | undefined
}
type PayerFieldError = { field: 'verify_sender' | 'payer_kind' | 'match'; message: string }

/** Finds the errors of a request whose fields about its payer contradict each other. */
export function findPayerFieldErrors({ verifySender, debtor, kind, match }: PayerFields): PayerFieldError[] {
  const errors: PayerFieldError[] = []
  const isVerified = verifySender === true
  const documentKind = debtor?.document === undefined ? null : detectDocumentKind(debtor.document)
  if (isVerified && !debtor) errors.push({ field: 'verify_sender', message: 'needs a debtor' })
  if (isVerified && kind && documentKind && KIND_OF_DOCUMENT[documentKind] !== kind)
    errors.push({
      field: 'payer_kind',
      message: "must be that of the debtor's document",
    })
  if (match && !isVerified) errors.push({ field: 'match', message: 'needs verify_sender' })
  else if (match === 'ROOT' && documentKind === 'CPF')
    errors.push({ field: 'match', message: 'must be FULL: a CPF has no root' })
  return errors
}

/** Builds the restriction of a request or a charge; undefined where anybody may pay. */
export function buildPayerRestriction({
  isSenderVerified,
  debtorDocument,
  kind,
  match,
}: {
  isSenderVerified: boolean
  debtorDocument: string | null | undefined
  kind: PayerKind | null | undefined
  match: DocumentMatch | null | undefined
}): PayerRestriction | undefined {
  const document = isSenderVerified ? (debtorDocument ?? null) : null
  if (document === null && !kind) return undefined
  return { document, match: match ?? 'FULL', kind: kind ?? null }
}
