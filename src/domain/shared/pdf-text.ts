/**
 * Matches what a PDF in a standard font can show: Windows-1252, with line breaks and tabs. Such a PDF needs no font file, and
 * equal texts give equal bytes.
 */
const PDF_TEXT_PATTERN = /[\t\r\n\x20-\x7e\xa0-\xff€‚ƒ„…†‡ˆ‰Š‹ŒŽ‘’“”•–—˜™š›œžŸ]/gu

/** Finds the characters of a text that a PDF in a standard font cannot show, each once, in their order. */
export function findUnwritableInPdf(text: string): string[] {
  return [...new Set(text.normalize('NFC').replace(PDF_TEXT_PATTERN, ''))]
}

/** Replaces the characters of a text that a PDF in a standard font cannot show: a minus sign by a hyphen, others by `?`. */
export function toPdfText(text: string): string {
  const composed = text.normalize('NFC').replaceAll('\u2212', '-').replaceAll('\u202f', '\xa0')
  return findUnwritableInPdf(composed).reduce((shown, one) => shown.replaceAll(one, '?'), composed)
}
