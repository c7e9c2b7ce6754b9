import type { z } from 'zod'
import { EXAMPLE_UUIDS } from '../shared/example-values.ts'
import { UNKNOWN_PARTY } from '../shared/fields.ts'
import type { codeReadingSchema, readCodeBody } from './code-reading.ts'

/** Examples of the OpenAPI document: the code on a supplier's invoice, five days after its due date. */

export const READ_CODE_EXAMPLE: z.input<typeof readCodeBody> = {
  payload:
    '00020101021226890014br.gov.bcb.pix2567pix.bancosegundo.com.br/qr/v2/cobv/1e6c54d3ec9449b7a7fc53b6b0f998e75204000053039865802BR5914Fornecedora SA6009SAO PAULO62070503***63045B47',
  pay_on: '2026-11-25',
}

export const CODE_READING_EXAMPLE: z.input<typeof codeReadingSchema> = {
  uuid: EXAMPLE_UUIDS.codeReading,
  kind: 'DUE',
  receiver: { ...UNKNOWN_PARTY, name: 'Fornecedora SA', document: '***006331207**' },
  txid: 'fc9a4366ff3d4964b5dbc6c91a8722d3',
  value: {
    original: 123.45,
    due_now: 140,
    fine: 15,
    interest: 2,
    discount: 0.45,
    abatement: 0,
    open: false,
  },
  status: 'PAYABLE',
  expires_at: '2026-12-22T03:00:00.000000Z',
  signature: 'UNVERIFIED',
  created_at: '2026-11-25T12:00:00.250718Z',
}
