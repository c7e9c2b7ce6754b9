import type { SchemaPart } from './schema-part.ts'

/** The log of requests by API tokens (SPEC §9). */
export const apiRequests: SchemaPart = {
  tables: `
-- A partition holds one day, chosen by the number of the day modulo 10 (src/db/repositories/api-requests.ts); pruning truncates
-- the one of a day that is over for a week. No foreign key and no primary key: a row is written once, read by its token, and no
-- token is ever deleted.
create table api_request (
  at timestamptz not null,
  token_number int not null,
  duration_ms int not null,
  slot smallint not null,
  status smallint not null,
  method text not null,
  -- The route with the UUIDs of the path; another parameter, such as a PIX key, stays a name. Null: no route.
  path text,
  error_code text,
  request_id varchar(128) not null
) partition by list (slot);
${Array.from({ length: 10 }, (_, slot) => `create table api_request_${slot} partition of api_request for values in (${slot});`).join('\n')}
create index api_request_of_token on api_request (token_number, at);
create index api_request_by_id on api_request using hash (request_id);`,
}
