import { buffer } from 'node:stream/consumers'

/**
 * Renders a text as a plain PDF, in Helvetica on A4, because Woovi accepts documents only. Equal texts give equal
 * bytes. The font has the characters of Windows-1252: a reply with others is refused before (`findUnwritableCharacters`).
 */
export async function renderTextPdf(text: string): Promise<Buffer> {
  // Loaded by the first reply without attachments: it takes 30 MB of memory.
  const { default: PDFDocument } = await import('pdfkit')
  const info = { CreationDate: new Date(0) }
  const pdf = new PDFDocument({ size: 'A4', pdfVersion: '1.4', compress: false, info })
  const lines = text.normalize('NFC').replaceAll('\r\n', '\n').replaceAll('\t', '    ')
  pdf.font('Helvetica', 10).text(lines)
  pdf.end()
  return buffer(pdf)
}
