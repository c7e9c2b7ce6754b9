import { z } from 'zod'
import type { ProviderResponse } from '../http/exchange.ts'

/** Bytes at the end of a PDF in which readers look for its end. */
const TAIL_BYTES = 1_024

/** The bytes of an answer that is a whole PDF. */
export const pdfSchema = z
  .custom<ProviderResponse>(answer => isPdf(answer as ProviderResponse))
  .transform(({ bytes }) => bytes)

function isPdf({ headers, bytes }: ProviderResponse): boolean {
  const [type] = String(headers['content-type']).split(';')
  return (
    type?.trim().toLowerCase() === 'application/pdf' &&
    bytes.subarray(0, '%PDF-'.length).equals(Buffer.from('%PDF-')) &&
    bytes.subarray(-TAIL_BYTES).includes('%%EOF')
  )
}
