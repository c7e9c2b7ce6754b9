import { textFromCents } from './amount.ts'

/** The settled PIX of a receipt. */
export type ReceiptSubject = { endToEnd: string; cents: number; at: string }

/** Writes the receipt of a bank: a PDF of two pages with one line each. */
export function writeReceiptPdf({ endToEnd, cents, at }: ReceiptSubject): Buffer {
  const [first, second] = [`${endToEnd} R$ ${textFromCents(cents)} ${at}`, 'Simulado: sem valor'].map(
    line => {
      const content = `BT /F1 10 Tf 40 780 Td (${line}) Tj ET`
      return `<</Length ${content.length}>>stream\n${content}\nendstream`
    },
  )
  const page = (contents: number) =>
    `<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents ${contents} 0 R/Resources<</Font<</F1 7 0 R>>>>>>`
  const objects = [
    '<</Type/Catalog/Pages 2 0 R>>',
    '<</Type/Pages/Kids[3 0 R 4 0 R]/Count 2>>',
    page(5),
    page(6),
    first,
    second,
    '<</Type/Font/Subtype/Type1/BaseFont/Courier>>',
  ]
  let text = '%PDF-1.4\n'
  const offsets = objects.map((object, index) => {
    const offset = text.length
    text += `${index + 1} 0 obj${object}endobj\n`
    return `${String(offset).padStart(10, '0')} 00000 n \n`
  })
  const count = objects.length + 1
  const table = `xref\n0 ${count}\n0000000000 65535 f \n${offsets.join('')}`
  return Buffer.from(
    `${text}${table}trailer<</Size ${count}/Root 1 0 R>>\nstartxref\n${text.length}\n%%EOF\n`,
  )
}
