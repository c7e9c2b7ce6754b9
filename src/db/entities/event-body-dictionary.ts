/**
 * Text that the bodies of events share, for compression (`event-body.ts`). Bodies refer to it, so an entry never changes:
 * a new text is appended as a new entry, from which on bodies name that one.
 */

const PARTY = `{"name":" Ltda","document":"","account_number":"","account_agency":"0001","bank":{"code":"","name":"Banco ","ispb":"00000000"},"account_type":"PAYMENT"}`
const PAYER = `{"name":"","document":"***.***-**","account_number":"","account_agency":"","bank":{"code":"","name":"","ispb":""},"account_type":"CHECKING"}`
const TIMES = `"created_at":"2026-01-01T00:00:00.000000Z","updated_at":"2026-01-01T00:00:00.000000Z"`
const HISTORY = `"history":[{"status":"PENDING","created_at":"2026-01-01T00:00:00.000000Z"},{"status":"PROCESSING","created_at":"2026-01-01T00:00:00.000000Z"},{"status":"PAID","created_at":"2026-01-01T00:00:00.000000Z"}]`
const DISPUTE = `{"med_type":"RECEIVED","dispute_type":"FRAUD","status":"OPEN","resolved":false,"reason":"","deadline_at":"","attachments":[{"name":"","content_type":"application/pdf","url":""}],"answer":null,"amount":0}`
const TRANSFER = `{"uuid":"","value":0,"fees":0,"total_value":0,"currency":"BRL","status":"COMPLETED","type":"PIX","external_ref":"","initiation":{"sender":${PARTY},"receiver":${PAYER},"txid":null,"value":"0.00","type":"KEY","pix_key":""},"attempts":[{"provider":{"uuid":"","provider":"PROVIDER_B"},"status":"SETTLED","code":null}],"error":null,"scheduled_for":null,"movement_type":"OUT"}`
const REFUND = `"status":"PARTIALLY_REFUNDED","refund":{"uuid":"","status":"COMPLETED","value":0,"fees":0,"pix_original":{"type":"EXTERNAL_REFUND","status":"REFUNDED","end_to_end":"D","original_uuid":""},"pix_refund":{"uuid":"","initiation":`
const MOVEMENT = `{"uuid":"","initiation":{"sender":${PAYER},"receiver":${PARTY},"txid":"","value":10,"type":"QR_DYNAMIC","pix_key":"","status":"COMPLETED","expires_at":null,${TIMES}},"value":10,"movement_type":"IN","type":"EXTERNAL_TRANSFER","status":"SETTLED","end_to_end":"E00000000202601010000","charge_uuid":"","settled_at":"2026-01-01T00:00:00.000000Z",${TIMES},"sequence":1}`
const CHARGE = `{"uuid":"","value":10,"total_value":10,"fees":0,"currency":"BRL","status":"PAID","type":"PIX","external_ref":"","splits":[],${HISTORY},"provider":{"uuid":"","provider":"PROVIDER_A"},${TIMES},"payment":{"uuid":"","status":"COMPLETED","payload":"00020101021226760014br.gov.bcb.pix25qr/v2/520400005303986540510.005802BR59 Ltda6009SAO PAULO62070503***6304","pix":{"sender":${PAYER},"receiver":${PARTY},"txid":"","value":"10.00","type":"QR_DYNAMIC","pix_key":"","additional_info":[],"transaction":{"uuid":"","value":"10.00","movement_type":"IN","type":"EXTERNAL_TRANSFER","status":"SETTLED","end_to_end":"E00000000202601010000","settled_at":"2026-01-01T00:00:00.000000Z",${TIMES}},"status":"COMPLETED","expires_at":"2026-01-01T00:00:00.000000Z",${TIMES}},"expires_at":"2026-01-01T00:00:00.000000Z",${TIMES},"value":"10.00","type":"QR_DYNAMIC","verify_sender":false},"sequence":1}`

const FIRST = [DISPUTE, TRANSFER, REFUND, MOVEMENT, CHARGE].join('')

/** Dictionaries by number, from 1. What is most often repeated comes last, as deflate wants it. */
export const EVENT_BODY_DICTIONARIES = [
  FIRST,
  // With the fields of refunds, which a charge shows since.
  `${FIRST}"refunded_value":0,"net_value":10,"refund_uuids":[],"payment":{"uuid":"","status":"`,
].map(text => Buffer.from(text))
