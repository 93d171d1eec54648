import { sql, type SQL } from "drizzle-orm";

const OFFSET = /^([+-])(\d{2}):(\d{2})$/;

/**
 * The one zone in which Redrive reads and writes `datetime(3)` columns. Always a fixed offset: a zone with summer time
 * repeats an hour each autumn, and a `datetime` cannot tell the two apart.
 */
export class SessionZone {
  static readonly utc = new SessionZone("+00:00", 0);

  readonly name: string;
  readonly offsetMinutes: number;

  private constructor(name: string, offsetMinutes: number) {
    this.name = name;
    this.offsetMinutes = offsetMinutes;
  }

  /**
   * @param text an offset such as `+00:00` or `+08:00` (`UTC` is `+00:00`), from -12:59 to +13:00: what MySQL and MariaDB both take.
   * @throws RangeError for a named zone or an offset out of range; the message says what to write instead.
   */
  static parse(text: string): SessionZone {
    if (text === "UTC" || text === "Z") return SessionZone.utc;
    const match = OFFSET.exec(text);
    const minutes = match ? Number(match[2]) * 60 + Number(match[3]) : Number.NaN;
    const signed = match?.[1] === "-" ? -minutes : minutes;
    if (!match || Number(match[3]) > 59 || signed < -779 || signed > 780) {
      throw new RangeError(
        `session zone "${text}" is not a fixed offset from -12:59 to +13:00; write it as +00:00 or +08:00 (a named zone with summer time cannot be stored in datetime columns)`,
      );
    }
    return signed === 0 ? SessionZone.utc : new SessionZone(text, signed);
  }

  /** The database's own clock in this zone, in milliseconds, whatever the zone of the session it runs in. */
  get now(): SQL {
    if (this.offsetMinutes === 0) return sql`UTC_TIMESTAMP(3)`;
    return sql`TIMESTAMPADD(MINUTE, ${sql.raw(String(this.offsetMinutes))}, UTC_TIMESTAMP(3))`;
  }

  /** Text for a `datetime(3)` column. Milliseconds only, so that no server rounds it. */
  format(instant: Date): string {
    const local = new Date(instant.getTime() + this.offsetMinutes * 60_000);
    return local.toISOString().slice(0, 23).replace("T", " ");
  }

  /** The instant that a stored `datetime` names; accepts what a driver gives for it, text or Date read as UTC. */
  parseInstant(stored: string | Date): Date {
    const text = typeof stored === "string" ? stored : stored.toISOString();
    const iso = text.replace(" ", "T").replace(/Z$/, "");
    return new Date(Date.parse(`${iso}Z`) - this.offsetMinutes * 60_000);
  }
}
