import type { z } from 'zod'
import { EXAMPLE_UUIDS } from '../shared/example-values.ts'
import { UNKNOWN_PARTY } from '../shared/fields.ts'
import type { codeReadingSchema, readCodeBody } from './code-reading.ts'

/** Examples of the OpenAPI document: a static code whose payer chooses the value, of the manual of the Central Bank. */

export const READ_CODE_EXAMPLE: z.input<typeof readCodeBody> = {
  payload:
    '00020126580014br.gov.bcb.pix0136123e4567-e12b-12d1-a456-4266554400005204000053039865802BR5913Fulano de Tal6008BRASILIA62070503***63041D3D',
}

export const CODE_READING_EXAMPLE: z.input<typeof codeReadingSchema> = {
  uuid: EXAMPLE_UUIDS.codeReading,
  kind: 'STATIC',
  receiver: { ...UNKNOWN_PARTY, name: 'Fulano de Tal' },
  txid: null,
  value: { original: 0, due_now: 0, fine: 0, interest: 0, discount: 0, abatement: 0, open: true },
  status: 'PAYABLE',
  expires_at: null,
  signature: 'UNVERIFIED',
  created_at: '2026-11-25T12:00:00.250718Z',
}
