import type Router from '@koa/router'
import type { Context } from 'koa'
import { centsFromReais } from '../amount.ts'
import { presentRecurrencePayload } from '../provider-apis/bacen/recurrence-presenters.ts'
import type { SimulatedRecurrence } from '../recurrences/recurrences.ts'
import { readBodyText, readPathParam } from '../request.ts'
import type { SimulatorState } from '../state.ts'
import { readRecurrenceDocument } from './recurrence-document.ts'

/** Newest recurrences that the list shows. */
const MAX_SHOWN = 50

type SendPages = {
  sendPage(ctx: Context, view: string, model?: object): void
  sendRefusal(ctx: Context, why: string): void
}

/** Adds the pages on which payers answer recurrences, whichever way their bank learned of them, and say how their bank treats the charges. */
export function addRecurrencePages(
  router: Router,
  { accounts, recurring: { recurrences, charges, payers, clock } }: SimulatorState,
  { sendPage, sendRefusal }: SendPages,
): void {
  const present = (recurrence: SimulatedRecurrence) => ({
    ...recurrence,
    terms: readRecurrenceDocument(presentRecurrencePayload(accounts.find(recurrence.accountId)!, recurrence)),
  })

  /** Does what the form says; returns why it cannot be done. */
  const act = (recurrence: SimulatedRecurrence, form: URLSearchParams): string | undefined => {
    const { id, minimumCents } = recurrence
    const text = form.get('value')?.trim() ?? ''
    const cents = text === '' ? null : centsFromReais(Number(text))
    if (text !== '' && cents === null) return 'the amount is malformed'
    switch (form.get('act')) {
      case 'accept':
      case 'reject': {
        const isAccepted = form.get('act') === 'accept'
        const answered = payers.answer(
          id,
          isAccepted ? { accept: true, ceilingCents: cents } : { accept: false },
        )
        if (answered === 'ceiling_below_minimum') return 'the ceiling is below the minimum'
        return answered ? undefined : 'the recurrence has been answered'
      }
      case 'revoke':
        return payers.cancel(id, 'SLDB') ? undefined : 'the recurrence has ended'
      case 'ceiling':
        if (cents !== null && cents < (minimumCents ?? 0)) return 'the ceiling is below the minimum'
        payers.change(recurrence, { ceilingCents: cents })
        return undefined
      default:
        payers.change(recurrence, { fundsCents: cents, eveningFundsCents: null })
        return undefined
    }
  }

  router.get('/recurrences', ctx => {
    const rows = recurrences.list().toReversed().slice(0, MAX_SHOWN).map(present)
    sendPage(ctx, 'recurrences', { rows, today: clock.today() })
  })
  router.get('/recurrences/:id', ctx => {
    const recurrence = recurrences.find(readPathParam(ctx, 'id'))
    if (!recurrence) return sendRefusal(ctx, 'unknown')
    const debits = charges
      .listByRecurrence(recurrence.id)
      .map(charge => ({ ...charge, tries: charges.listTries(charge) }))
    return sendPage(ctx, 'recurrence', { ...present(recurrence), debits })
  })
  router.post('/recurrences/:id', async ctx => {
    const recurrence = recurrences.find(readPathParam(ctx, 'id'))
    if (!recurrence) return sendRefusal(ctx, 'unknown')
    const why = act(recurrence, new URLSearchParams(await readBodyText(ctx)))
    if (why) return sendRefusal(ctx, why)
    ctx.status = 303
    return ctx.redirect(`/recurrences/${recurrence.id}`)
  })
  router.post('/day', ctx => {
    payers.advance(1, 'EVENING')
    ctx.status = 303
    ctx.redirect('/recurrences')
  })
}
