import { textFromCents } from '../../../domain/ledger/money.ts'
import type { SimulatedAccount } from '../../accounts.ts'
import { SIMULATOR_WAITS_MS } from '../../latency.ts'
import type { SimulatedCall, SimulatedResponse } from '../../provider-calls.ts'
import type { RailMovement } from '../../rail.ts'
import type { SimulatorState } from '../../state.ts'
import * as errors from './errors.ts'
import { parseReportBody, type ReportRecords } from './schemas.ts'

/** A report of one day's statement; the same order again is the same report. */
type EfiReport = {
  id: string
  accountId: string
  /** The day in São Paulo. */
  day: string
  /** `ReportRecords` as JSON. */
  records: string
  requestedAt: string
  readyAt: string
}

/** Reports of the statement: `/v2/gn/relatorios` ("Requisitar Extrato Conciliação"). */
export function createEfiReportHandlers(
  world: SimulatorState,
): Record<'create' | 'show', (call: SimulatedCall) => SimulatedResponse> {
  const { store, now } = world
  return {
    create: call => {
      const asked = parseReportBody(call.body)
      if ('refusal' in asked) return asked.refusal
      const { dataMovimento: day, tipoRegistros } = asked.value
      if (day >= formatDay(now().toISOString())) return errors.reportDayNotOver()
      const report = openReport(world, {
        accountId: call.account.id,
        day,
        records: JSON.stringify(tipoRegistros),
      })
      return { status: 202, body: presentReport(report, now()) }
    },
    show: ({ account, params }) => {
      const report = store.first<EfiReport>(
        'SELECT * FROM efiReport WHERE accountId = ? AND id = ?',
        account.id,
        params.id!,
      )
      if (!report) return errors.reportNotFound()
      if (report.readyAt > now().toISOString()) return { status: 202, body: presentReport(report, now()) }
      const body = writeReport(world, { account, report })
      return { status: 200, body, headers: { 'content-type': 'text/csv; charset=utf-8' } }
    },
  }
}

function openReport(
  { store, ids, now, scaleWaitMs }: SimulatorState,
  order: Pick<EfiReport, 'accountId' | 'day' | 'records'>,
): EfiReport {
  const existing = store.first<EfiReport>(
    'SELECT * FROM efiReport WHERE accountId = ? AND day = ? AND records = ?',
    order.accountId,
    order.day,
    order.records,
  )
  if (existing) return existing
  const at = now()
  const readyAt = new Date(at.getTime() + scaleWaitMs(SIMULATOR_WAITS_MS.report)).toISOString()
  const report = { ...order, id: ids.evpKey(), requestedAt: at.toISOString(), readyAt }
  store.insert('efiReport', report)
  return report
}

function presentReport({ id, requestedAt, readyAt }: EfiReport, at: Date) {
  const isReady = readyAt <= at.toISOString()
  return { id, dataSolicitacao: requestedAt, status: isReady ? 'CONCLUIDO' : 'AGUARDANDO_PROCESSAMENTO' }
}

/**
 * The report as text. Its layout ("Extrato de Conciliação API Pix", v4.0) is a PDF of Efí's that no public source shows as
 * text: of its records only those of a received PIX (`PR`) and of its tariff (`TPR`) are known, from what users of Efí
 * publish, and only those are written. A tariff that is about no PIX is in none of them.
 */
function writeReport(
  { rail, receipts }: SimulatorState,
  { account, report }: { account: SimulatedAccount; report: EfiReport },
): string {
  const records = JSON.parse(report.records) as ReportRecords
  const movements = rail.listEntries(account.id).filter(({ at }) => formatDay(at) === report.day)
  const lines = movements.flatMap(movement => {
    if (records.pixRecebido && isReceived(movement)) {
      const receipt = receipts.findListed(account.id, movement.endToEnd!)
      return receipt ? [writeReceived(movement, receipt.payerDocument)] : []
    }
    return records.tarifaPixRecebido && movement.kind === 'tariff' && movement.originalEndToEnd
      ? [writeTariff(movement)]
      : []
  })
  const made = formatDay(report.readyAt)
  const head = `CA;Gerencianet;364;1;1;${account.holderName};${made};${report.day};Extrato de Conciliação API Pix;1.0`
  return [head, ...lines, 'T;0;0;0;0;0;0'].map(line => `${line}\n`).join('')
}

function isReceived({ kind }: RailMovement): boolean {
  return kind === 'payment' || kind === 'deposit'
}

function writeReceived({ endToEnd, id, cents, at }: RailMovement, payerDocument: string): string {
  return `PR;${toProtocol(at)};${endToEnd};${id ?? ''};${textFromCents(cents)};${payerDocument};;;;${at}`
}

function writeTariff({ originalEndToEnd, cents, at }: RailMovement): string {
  return `TPR;${toProtocol(at)};${originalEndToEnd};${textFromCents(cents)};${at}`
}

/** A number of Efí's own. */
function toProtocol(at: string): number {
  return Date.parse(at) % 1_000_000_000
}

const DAY_FORMAT = new Intl.DateTimeFormat('en-CA', { timeZone: 'America/Sao_Paulo', dateStyle: 'short' })

/** `2026-11-26`, as it is in São Paulo. */
function formatDay(at: string): string {
  return DAY_FORMAT.format(new Date(at))
}
