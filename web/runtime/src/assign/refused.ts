/** A document or a context is not valid. `places` are the paths of the invalid members, or null for a wrong shape. */
export class Refused extends Error {
  constructor(readonly places: readonly string[] | null) {
    super(places ? places.join(", ") : "not of this shape");
    this.name = "Refused";
  }
}
