import { ACCOUNT } from "./seed-fleet.ts";

/** A browser of the console without its screen: signed in, and keeping ETags. */
export class ConsoleClient {
  readonly #baseUrl: string;
  readonly #cookie: string;
  readonly #etags = new Map<string, string>();

  private constructor(baseUrl: string, cookie: string) {
    this.#baseUrl = baseUrl;
    this.#cookie = cookie;
  }

  /** Signs in by name and password, as the form does. */
  static async signIn(baseUrl: string): Promise<ConsoleClient> {
    const answer = await fetch(`${baseUrl}/api/v1/sign-in`, {
      method: "POST",
      headers: { "content-type": "application/json", origin: baseUrl },
      body: JSON.stringify(ACCOUNT),
    });
    const cookie = answer.headers.get("set-cookie")?.split(";")[0];
    if (!answer.ok || cookie === undefined)
      throw new Error(`sign-in answered ${answer.status}: ${await answer.text()}`);
    return new ConsoleClient(baseUrl, cookie);
  }

  /** The answer's JSON. `fresh` asks past what the console keeps for all, as the refresh button does. */
  async get<Answer>(path: string, { fresh = false }: { readonly fresh?: boolean } = {}): Promise<Answer> {
    const answer = await fetch(this.#baseUrl + path, {
      headers: { cookie: this.#cookie, ...(fresh ? { "x-refresh": "now" } : {}) },
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`GET ${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text) as Answer;
  }

  /** A page as a browser loads it first. */
  async page(path: string): Promise<void> {
    const answer = await fetch(this.#baseUrl + path, { headers: { cookie: this.#cookie }, redirect: "manual" });
    await answer.text();
    if (answer.status !== 200) throw new Error(`GET ${path} answered ${answer.status}`);
  }

  /** Asks again as an open page does; true if anything was new. */
  async refresh(path: string): Promise<boolean> {
    const etag = this.#etags.get(path);
    const answer = await fetch(this.#baseUrl + path, {
      headers: { cookie: this.#cookie, ...(etag === undefined ? {} : { "if-none-match": etag }) },
    });
    await answer.text();
    if (answer.status !== 304 && !answer.ok) throw new Error(`GET ${path} answered ${answer.status}`);
    const newTag = answer.headers.get("etag");
    if (newTag !== null) this.#etags.set(path, newTag);
    return answer.status !== 304;
  }

  async post<Answer>(path: string, body: object): Promise<Answer> {
    const answer = await fetch(this.#baseUrl + path, {
      method: "POST",
      headers: { cookie: this.#cookie, "content-type": "application/json", origin: this.#baseUrl },
      body: JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`POST ${path} answered ${answer.status}: ${text}`);
    return JSON.parse(text) as Answer;
  }
}
