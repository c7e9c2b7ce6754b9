import { Type } from '@mikro-orm/core'
import { compressText, decompressText } from './compressed-text.ts'

/** Text that the payloads of charges share. An entry never changes; a new one is appended. */
const DICTIONARIES = [
  [
    '00020101021226900014br.gov.bcb.pix2568qrcodespix.sejaefi.com.br/v2/5204000053039865802BR5905EFISA6008SAOPAULO62070503***6304',
    '00020101021226760014br.gov.bcb.pix2554api.openpix.com.br/qr/v2/520400005303986540510.005802BR5918 Ltda6009SAO PAULO62070503***6304',
  ].join(''),
].map(text => Buffer.from(text))

export function compressChargePayload(payload: string): Buffer {
  return compressText(payload, DICTIONARIES)
}

/** Column of a charge's payload, of which most is the same in every BR Code. */
export class ChargePayloadType extends Type<string | null, Buffer | null> {
  override convertToDatabaseValue(payload: string | null): Buffer | null {
    return payload === null ? null : compressChargePayload(payload)
  }

  override convertToJSValue(column: Buffer | null): string | null {
    return column && decompressText(column, DICTIONARIES)
  }

  override getColumnType(): string {
    return 'bytea'
  }
}
