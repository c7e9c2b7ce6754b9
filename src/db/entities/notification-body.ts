import { Type } from '@mikro-orm/core'
import { compressText, decompressText } from './compressed-text.ts'

/** Text that the notifications of providers share. An entry never changes; a new one is appended. */
const DICTIONARIES = [
  [
    '{"endToEndId":"D","evento":"MED","protocolo":"","infracao":{"status":"","relator":"","motivo":"","detalhes":""},"defesa":null}',
    '{"tipo":"SOLICITACAO","idEnvio":"","favorecido":{"chave":"","identificacao":{"nome":"","cpf":"","cnpj":""}},"status":"REALIZADO","rtrId":"D","devolucoes":[{"id":"","rtrId":"D","valor":"0.00","horario":{"solicitacao":"2026-01-01T00:00:00.000Z","liquidacao":"2026-01-01T00:00:00.000Z"},"status":"DEVOLVIDO"}]',
    '{"event":"OPENPIX:TRANSACTION_RECEIVED","charge":{"correlationID":"","transactionID":"","status":"COMPLETED","value":0,"brCode":"","expiresDate":"2026-01-01T00:00:00.000Z","paymentLinkUrl":"","pixKey":"","createdAt":"2026-01-01T00:00:00.000Z","updatedAt":"2026-01-01T00:00:00.000Z"},"pix":{"endToEndId":"E","time":"2026-01-01T00:00:00.000Z","transactionID":"","type":"PAYMENT","payer":{"name":"","taxID":{"taxID":"","type":"BR:CPF"}},"debitParty":{"pspId":"","psp":{"id":"","name":""},"account":{"branch":"","account":"","accountType":"CACC"}}}}',
    '{"endToEndId":"E00000000202601010000","txid":"","valor":"10.00","chave":"","horario":"2026-01-01T00:00:00.000Z","pagador":{"nome":"","cpf":""},"gnExtras":{"pagador":{"nome":"","cpf":"","codigoBanco":""}}}',
  ].join(''),
].map(text => Buffer.from(text))

/** Compresses the raw text of a notification for its column. */
export function compressNotificationBody(body: string): Buffer {
  return compressText(body, DICTIONARIES)
}

/** Column of a notification's raw text. */
export class NotificationBodyType extends Type<string, Buffer> {
  override convertToDatabaseValue(body: string): Buffer {
    return compressNotificationBody(body)
  }

  override convertToJSValue(column: Buffer): string {
    return decompressText(column, DICTIONARIES)
  }

  /** A notification never changes: a body that is loaded is not compressed again to be compared. */
  override ensureComparable(): boolean {
    return false
  }

  override compareValues(): boolean {
    return true
  }

  override getColumnType(): string {
    return 'bytea'
  }
}
