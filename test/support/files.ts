import { encode } from 'fast-png'

/** Files as people send them: their type is in their first bytes. */
export const FILES = {
  pdf: Buffer.from('%PDF-1.7\n1 0 obj <</Type /Catalog>> endobj\ntrailer <</Root 1 0 R>>\n%%EOF\n'),
  png: Buffer.from(encode({ width: 2, height: 2, data: new Uint8Array(16).fill(200) })),
  jpeg: Buffer.concat([Buffer.from('ffd8ffe000104a46494600010100000100010000', 'hex'), Buffer.alloc(64, 7)]),
  webp: Buffer.concat([Buffer.from('RIFF\x1a\0\0\0WEBPVP8L\x0d\0\0\0', 'latin1'), Buffer.alloc(14, 1)]),
  gif: Buffer.from('GIF89a\x01\0\x01\0\0\0\0;', 'latin1'),
  exe: Buffer.concat([Buffer.from('MZ\x90\0\x03\0\0\0\x04\0\0\0\xff\xff', 'latin1'), Buffer.alloc(256)]),
  zip: Buffer.from('504b030414000000080000002100', 'hex'),
  html: Buffer.from('<!doctype html><script>alert(1)</script>'),
  svg: Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'),
  nothing: Buffer.alloc(0),
}

/** A PDF of so many bytes. */
export function createPdf(bytes: number): Buffer {
  return Buffer.concat([FILES.pdf, Buffer.alloc(bytes - FILES.pdf.length, 32)])
}

export type SentFile = { field?: string; name?: string; bytes: Buffer; type?: string }

/** A form's body and headers, as a browser writes them. */
export async function encodeForm(texts: [string, string][], files: SentFile[] = []) {
  const form = new FormData()
  for (const [name, value] of texts) form.append(name, value)
  for (const [index, { field, name = 'proof.pdf', bytes, type = 'application/pdf' }] of files.entries()) {
    const blob = new Blob([new Uint8Array(bytes)], { type })
    form.append(field ?? `attachments[${index}][file]`, blob, name)
  }
  const { headers, body } = new Response(form)
  return {
    raw: new Uint8Array(await new Response(body).arrayBuffer()),
    headers: { 'content-type': headers.get('content-type') ?? '' },
  }
}
