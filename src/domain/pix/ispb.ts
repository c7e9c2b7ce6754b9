/**
 * The eight characters by which the rail names an institution: digits, and letters since the ISPB follows the CNPJ with letters
 * (pix-api 2.9.0: `[0-9A-Z]{8}`).
 */
const ISPB_PATTERN = /^[0-9A-Z]{8}$/

/** Upper case, and nothing else. Only `a-z` is raised, since Unicode would make letters of an ISPB out of `ſ` and `ı`. */
export function normalizeIspb(text: string): string {
  return text.replace(/[a-z]/g, letter => letter.toUpperCase())
}

/** Tells whether a normalised text is an ISPB. */
export function isIspb(text: string): boolean {
  return ISPB_PATTERN.test(text)
}
