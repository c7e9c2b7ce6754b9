import { Migration } from '@mikro-orm/migrations'

/** What a PIX, a key or a dispute is called from outside is not ours to measure: money is never refused over its id. */
export class Migration021_foreign_ids extends Migration {
  override up() {
    this.addSql(FOREIGN_IDS)
  }
}

/** No row and no index is written anew: a text is stored as a varchar is. */
const FOREIGN_IDS = `
alter table charge alter column txid type text, alter column pix_key type text, alter column end_to_end type text;
alter table movement alter column txid type text, alter column pix_key type text, alter column end_to_end type text;
alter table attempt alter column end_to_end type text;
alter table transfer alter column end_to_end type text;
alter table refund alter column end_to_end type text;
alter table med alter column end_to_end type text, alter column provider_med_id type text;`
