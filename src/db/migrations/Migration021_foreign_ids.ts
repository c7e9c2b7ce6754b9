import { Migration } from '@mikro-orm/migrations'

/** What a PIX, a key or a dispute is called from outside is not ours to measure: money is never refused over its id. */
export class Migration021_foreign_ids extends Migration {
  /** A table at a time: whoever holds one of them and wants another is not met in a ring. */
  override isTransactional() {
    return false
  }

  override up() {
    for (const [table, columns] of Object.entries(FOREIGN_IDS))
      this.addSql(
        `alter table ${table} ${columns.map(column => `alter column ${column} type text`).join(', ')}`,
      )
  }
}

/** No row and no index is written anew: a text is stored as a varchar is. */
const FOREIGN_IDS = {
  charge: ['txid', 'pix_key', 'end_to_end'],
  movement: ['txid', 'pix_key', 'end_to_end'],
  attempt: ['end_to_end'],
  transfer: ['end_to_end'],
  refund: ['end_to_end'],
  med: ['end_to_end', 'provider_med_id'],
}
