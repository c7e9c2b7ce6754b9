/**
 * Codes with which banks reject a try, cancel a charge, and end or reject a recurrence of Pix Automático. They are no codes of the rail
 * (`rail-codes.ts`): some are in both catalogues, with another meaning. Sources: pix-api 2.9.0 (CobRTentativas, CobRAtualizacao,
 * RecEncerramento), its version 2.10.0 for AP15 and the deprecated codes, and Woovi's pages on Pix Automático.
 */

/**
 * What a code says of the charge whose try it rejects. `fails_try`: nothing, another try may be made. `ends_charge`: no further try is
 * possible. `proves_payment`: the charge is already paid.
 */
export type TryCodeEffect = 'fails_try' | 'ends_charge' | 'proves_payment'

/** Codes of a rejected try, by what they say of its charge. pix-api 2.9.0, CobRTentativas, lists those that end it. */
export const TRY_CODES: Record<string, TryCodeEffect> = {
  AB10: 'fails_try',
  AC05: 'ends_charge',
  AC06: 'fails_try',
  AM02: 'fails_try',
  AM09: 'ends_charge',
  DENC: 'ends_charge',
  DS27: 'ends_charge',
  DTED: 'ends_charge',
  DTNT: 'fails_try',
  FBRD: 'fails_try',
  IRNT: 'fails_try',
  MIDI: 'ends_charge',
  MSUC: 'ends_charge',
  NIEC: 'fails_try',
  NIPA: 'proves_payment',
  NITX: 'ends_charge',
  QUNT: 'fails_try',
  RC09: 'ends_charge',
  UDEI: 'fails_try',
  // Woovi alone; it publishes of none that it ends the charge.
  AG12: 'fails_try',
  CRNC: 'fails_try',
  EXPR: 'fails_try',
  FCD1: 'fails_try',
  FCD2: 'fails_try',
  GRER: 'fails_try',
  RJCT: 'fails_try',
}

/** Codes of a cancelled charge; each ends it. */
export const CHARGE_CANCEL_CODES = ['ACCT', 'BLCK', 'CCLD', 'FAIL', 'OTHR', 'SLBD', 'SLCR'] as const

/** Codes of a cancelled recurrence. ERSL and PCFD are deprecated since pix-api 2.10.0, and are still read. */
export const RECURRENCE_CANCEL_CODES = [
  'ACCL',
  'CPCL',
  'DCSD',
  'ERSL',
  'FRUD',
  'PCFD',
  'SLCR',
  'SLDB',
] as const

/** Codes of a recurrence that its payer, or the payer's bank, did not authorize. AP15 is of pix-api 2.10.0. */
export const RECURRENCE_REJECTION_CODES = ['AP13', 'AP14', 'AP15'] as const
