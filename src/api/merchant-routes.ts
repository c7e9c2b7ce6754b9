import type { RouteRegistrar } from './app.ts'
import { bankRoutes } from './banks/routes.ts'
import { chargeRoutes } from './charges/routes.ts'
import { depositRoutes } from './deposits/routes.ts'
import { disputeRoutes } from './disputes/routes.ts'
import { documentationRoutes } from './docs/routes.ts'
import { eventRoutes } from './events/routes.ts'
import { fileRoutes } from './files/routes.ts'
import { healthRoutes } from './health/routes.ts'
import { ledgerRoutes } from './ledger/routes.ts'
import { limitRoutes } from './limits/routes.ts'
import { paymentLinkRoutes } from './payment-links/routes.ts'
import { keyLookupRoutes } from './pix-keys/lookup-routes.ts'
import { pixKeyRoutes } from './pix-keys/routes.ts'
import { providerRoutes } from './providers/routes.ts'
import { codeReadingRoutes } from './qr-codes/reading-routes.ts'
import { qrCodeRoutes } from './qr-codes/routes.ts'
import { receiptRoutes } from './receipts/routes.ts'
import { reconciliationRoutes } from './reconciliations/routes.ts'
import { recurrenceRoutes } from './recurrences/routes.ts'
import { refundRoutes } from './refunds/routes.ts'
import { reportRoutes } from './reports/routes.ts'
import { transferBatchRoutes } from './transfers/batch-routes.ts'
import { transferRoutes } from './transfers/routes.ts'
import { deliveryRoutes, webhookRoutes } from './webhooks/routes.ts'

/** Routes for merchants and their documentation: everything that the OpenAPI document describes. */
export const MERCHANT_ROUTES: RouteRegistrar[] = [
  chargeRoutes,
  qrCodeRoutes,
  codeReadingRoutes,
  paymentLinkRoutes,
  recurrenceRoutes,
  refundRoutes,
  depositRoutes,
  disputeRoutes,
  // Before the transfers: `batches` is no uuid of one.
  transferBatchRoutes,
  transferRoutes,
  receiptRoutes,
  limitRoutes(),
  bankRoutes,
  pixKeyRoutes,
  keyLookupRoutes,
  providerRoutes,
  webhookRoutes(),
  deliveryRoutes,
  eventRoutes,
  ledgerRoutes,
  reportRoutes,
  reconciliationRoutes,
  fileRoutes,
  healthRoutes,
  documentationRoutes,
]
