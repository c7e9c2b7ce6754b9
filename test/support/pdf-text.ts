import { extractText, getDocumentProxy } from 'unpdf'

/** Reads the text of a PDF as PDF.js does, in the order of its content. */
export async function readPdfText(pdf: Buffer): Promise<string> {
  const document = await getDocumentProxy(new Uint8Array(pdf))
  const { text } = await extractText(document, { mergePages: true })
  return text
}
