/**
 * Natures of a devolução, with the rail's reason of each: pacs.004, and pacs.008 for REFU (pix-api 2.9.0, DevolucaoNatureza).
 * ORIGINAL is ordered by the receiver; RETIRADA too, of a withdrawal or change; the others follow a dispute (MED).
 */
export const RETURN_NATURE_CODES = {
  ORIGINAL: 'MD06',
  RETIRADA: 'SL02',
  MED_OPERACIONAL: 'BE08',
  MED_FRAUDE: 'FR01',
  MED_PIX_AUTOMATICO: 'REFU',
} as const
export type PixReturnNature = keyof typeof RETURN_NATURE_CODES

/** Kinds of PIX by what a return of one may be. `withdrawal`: Pix Saque. `change`: Pix Troco. `automatic`: Pix Automático. */
type ReturnedPixKind = 'common' | 'withdrawal' | 'change' | 'automatic'

/** pix-api 2.9.0, DevolucaoNatureza and DevolucaoNaturezaPixAutomatico. */
const NATURES_BY_KIND: Record<ReturnedPixKind, readonly PixReturnNature[]> = {
  common: ['ORIGINAL', 'MED_OPERACIONAL', 'MED_FRAUDE'],
  withdrawal: ['RETIRADA'],
  change: ['ORIGINAL', 'RETIRADA'],
  automatic: ['ORIGINAL', 'MED_FRAUDE', 'MED_PIX_AUTOMATICO'],
}

/** Tells whether a return of this nature may follow a PIX of this kind. */
export function mayFollowPix(kind: ReturnedPixKind, nature: PixReturnNature): boolean {
  return NATURES_BY_KIND[kind].includes(nature)
}

/** Reads the nature that a provider reports; one that is absent is ORIGINAL, an unknown one is null. */
export function readReturnNature(text: string | null | undefined): PixReturnNature | null {
  const name = text?.trim().toUpperCase() || 'ORIGINAL'
  return Object.hasOwn(RETURN_NATURE_CODES, name) ? (name as PixReturnNature) : null
}

/** Tells whether a provider reports that a return follows a dispute, also by a nature that is newer than this table. */
export function isDisputeNature(text: string | null | undefined): boolean {
  return (readReturnNature(text) ?? text?.trim().toUpperCase() ?? '').startsWith('MED_')
}
