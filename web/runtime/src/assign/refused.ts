/** What is wrong with a document or a context; `places` is null when it has not the shape of one at all. */
export class Refused extends Error {
  constructor(readonly places: readonly string[] | null) {
    super(places ? places.join(", ") : "not of this shape");
    this.name = "Refused";
  }
}
