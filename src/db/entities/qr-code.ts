import { defineEntity } from '@mikro-orm/core'
import type { ChargeSplit } from '../../domain/charges/split.ts'
import type { QrCodePaymentPolicy, QrCodeStatus } from '../../domain/qr-codes/qr-code.ts'
import { centsColumn, orderAuthorColumns, requestedRowColumns, unionColumn } from './columns.ts'
import { Connection } from './connection.ts'

const schema = defineEntity({
  name: 'QrCode',
  properties: p => ({
    ...requestedRowColumns(),
    connection: () => p.manyToOne(Connection),
    /** The code of one charge, whose uuid it has; not listed. */
    isSingle: p.boolean().default(false),
    status: unionColumn<QrCodeStatus>(),
    pixKey: p.text(),
    txid: p.text(),
    payload: p.text(),
    /** Null: the payer decides the amount. */
    valueCents: centsColumn().nullable(),
    /** The payer's fee that the payload asks for on top of the value. */
    feeCents: centsColumn().default(0),
    description: p.text().nullable(),
    externalRef: p.text().nullable(),
    splits: p.json<ChargeSplit[]>(),
    onPayment: unionColumn<QrCodePaymentPolicy>().default('KEEP'),
    metadata: p.json<Record<string, string>>(),
    /** Counted by PostgreSQL when a charge of the code is paid. */
    receivedCount: p.integer().default(0),
    receivedCents: centsColumn().default(0),
    ...orderAuthorColumns(),
    fingerprint: p.text(),
  }),
})

/** A static code: of one charge with an open amount, or of a merchant, any number of PIX to which are charges. */
export class QrCode extends schema.class {}
schema.setClass(QrCode)
