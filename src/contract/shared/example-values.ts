import type { z } from 'zod'
import type { partySchema, providerReference } from './fields.ts'

/** What the examples of the OpenAPI document share, in wire form: they belong to one story of one day. */

export const EXAMPLE_UUIDS = {
  charge: '7d9f6c1e-2b4a-4c8d-9e10-5f3a2b1c0d9e',
  payment: '1f0a7c52-93be-4d17-8a6c-2e4b9d7f3c10',
  chargeMovement: 'c3b8e2d4-6f1a-4e95-b07d-8a2c5e9f1b36',
  split: '4e7d1a90-5c38-4b62-a1f4-9b0c6d2e8f57',
  deposit: '4b9e1d72-8c05-4a63-9f2e-7d1c6b0a5e38',
  depositReturn: 'e17c3f06-5d9b-4820-a4f6-2b8d0c7e9a51',
  transfer: '9a4c2f7b-1d6e-4830-b5a9-7c3e0f8d2b41',
  transferMovement: 'e6f1b3a8-0c72-4d5f-9e84-3b7a1c6d9f02',
  transferBatch: '5d1e8b3c-7a20-4f96-8c4d-0e9b2a6f7d13',
  batchTransfer: '0b7f4e2d-9c61-4a38-b5d7-3e8a1c6f0d94',
  refund: '2c8e5b19-7a4d-4f36-8d01-6e9f3a0b7c54',
  refundMovement: 'a0d7e4c3-8b5f-4129-96be-1f2d7c8a3e65',
  dispute: '5b3f8d06-e2a1-4c79-b48d-0a7e6c1f9d23',
  provider: '3e6a9c0d-4f72-4b81-8c5e-d1b7f2a40e98',
  recipient: 'd8b1c7e5-3a90-4f64-a2d7-5c0e9b6f1a83',
  webhook: '6c2d0f9e-8b47-4a15-9d3c-e7f1a5b8c042',
  delivery: 'b9e4a7c1-5d08-4f3b-8e62-0c6d1f9a7b35',
  event: '0f8c3b7e-2d91-4a56-b7e0-4c9a1d6f5e28',
  attachment: '8d5e1c0a-7f36-4b92-a4c8-9e2b6d3f0a17',
  keyLookup: '1c6e9a3f-7b20-4d85-a9e4-0f5b8d2c7e61',
  qrCode: '3a7d5e91-0c4f-4b28-9e6d-1b8f2c7a0d54',
  paymentLink: '2f6b9d14-7e3a-4c85-a0d9-5b1c8e4f7a60',
  recurrence: '9e2b6d48-1a7f-4c30-b5e9-6d0c8f3a7b12',
  difference: 'c4e0a7b2-5d93-4f18-8a6b-9e1c3d7f0526',
  report: '2f9d6c41-8e3b-4a70-9d15-7b0c4e8f2a63',
  codeReading: '8b1e4f70-2c6d-4a95-b3f8-0d7a5c9e2614',
  code: 'f4a8d2c6-1e59-4703-b9ad-6c8e0f7b3d51',
  request: '5e0f7c1a-6d2b-4c43-9c0e-2f1d8a7b6c5d',
} as const

export const EXAMPLE_PROVIDER: z.input<typeof providerReference> = {
  uuid: EXAMPLE_UUIDS.provider,
  provider: 'PROVIDER_A',
}

/** The account that uses the API. */
export const EXAMPLE_MERCHANT: z.input<typeof partySchema> = {
  name: 'Loja da Ana Ltda',
  document: '11222333000181',
  account_number: '48213705',
  account_agency: '0001',
  bank: { code: '', name: 'Banco Primeiro S.A.', ispb: '30680829' },
  account_type: 'PAYMENT',
}

/** A customer who pays the merchant: shown whole, since the merchant sells to them. */
export const EXAMPLE_PAYER: z.input<typeof partySchema> = {
  name: 'Maria Souza',
  document: '52998224725',
  account_number: '77120943',
  account_agency: '0001',
  bank: { code: '260', name: 'NU PAGAMENTOS S.A.', ispb: '18236120' },
  account_type: 'PAYMENT',
}

/** The recipient of a transfer: masked, since the key may be a stranger's. */
export const EXAMPLE_RECIPIENT: z.input<typeof partySchema> = {
  name: 'João Lima',
  document: '***444777**',
  account_number: '******18',
  account_agency: '**42',
  bank: { code: '001', name: 'BCO DO BRASIL S.A.', ispb: '00000000' },
  account_type: 'CHECKING',
}

/** Asks for 151.74 reais: 150.75 and the fee of 0.99. */
export const EXAMPLE_PAYLOAD =
  '00020101021226850014br.gov.bcb.pix2563pix.bancoprimeiro.com.br/qr/v2/7d9f6c1e2b4a4c8d9e105f3a2b1c0d9e5204000053039865406151.745802BR5916Loja da Ana Ltda6009SAO PAULO62070503***63041A10'
export const EXAMPLE_TXID = '7d9f6c1e2b4a4c8d9e105f3a2b1c0d9e'

/** End-to-end ids: the payment of the charge, the transfer, the return. ISPB of the payer's bank, UTC minute, 11 characters. */
export const EXAMPLE_END_TO_END = {
  charge: 'E18236120202611211204s0a7Kd93hQx',
  transfer: 'E30680829202611211431w5Tb2Lm80Rz',
  refund: 'D30680829202611221010p8Yc4Nf61Ve',
} as const

/** Authentication code of the receipt of the transfer. */
export const EXAMPLE_AUTHENTICATION =
  'e6f1b3a80c724d5f9e843b7a1c6d9f02.k1.Yv3nQ0cJ8pX2wL7sT4bR9eM1aZ6uK5hD-iGfOqVxWjE'

/** Times of the story, to the microsecond, as responses show them. */
export const EXAMPLE_TIMES = {
  created: '2026-11-21T12:03:10.482913Z',
  expires: '2026-11-22T12:03:10.482913Z',
  paying: '2026-11-21T12:04:26.117204Z',
  paid: '2026-11-21T12:04:27.903551Z',
  ordered: '2026-11-21T14:31:02.250718Z',
  sent: '2026-11-21T14:31:05.871090Z',
  refunded: '2026-11-22T10:10:40.305662Z',
  disputed: '2026-11-23T16:45:00.000000Z',
  answered: '2026-11-24T09:12:33.774120Z',
  due: '2026-11-30T16:45:00.000000Z',
} as const
