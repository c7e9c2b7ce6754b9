import { z } from 'zod'
import { writeNote } from '../../admin/notes.ts'
import { requireVisibleCharge } from '../../api/operations/charges.ts'
import { requireVisibleDispute } from '../../api/operations/disputes.ts'
import { requireVisibleTransfer } from '../../api/operations/transfers.ts'
import { parseFormFields } from '../http/form.ts'
import { redirect } from '../http/page.ts'
import { getUserAuthor } from '../http/page-context.ts'
import type { DashboardRouter } from '../http/router.ts'

/** Objects that a user may write notes about: the path of their pages, and their kind in the subject of an action. */
const NOTED_OBJECTS = [
  { path: '/dashboard/charges', kind: 'charge', requireVisible: requireVisibleCharge },
  { path: '/dashboard/transfers', kind: 'transfer', requireVisible: requireVisibleTransfer },
  { path: '/dashboard/disputes', kind: 'med', requireVisible: requireVisibleDispute },
]

const noteSchema = z.object({ text: z.string().trim().min(1).max(1_000) })

/** Registers the forms that write a note about an object; its history shows them (pages/story.ts). */
export function registerNoteForms({ post }: DashboardRouter): void {
  for (const { path, kind, requireVisible } of NOTED_OBJECTS)
    post('money.read', `${path}/:uuid/note`, {
      async handle(visit) {
        const { em, token, params } = visit
        const { uuid } = await requireVisible(em.fork(), token, params.uuid)
        const { text } = parseFormFields(noteSchema, visit.form)
        await writeNote(em, { author: getUserAuthor(visit), subject: `${kind}/${uuid}`, text })
        return redirect(`${path}/${uuid}`, 'note_written')
      },
    })
}
