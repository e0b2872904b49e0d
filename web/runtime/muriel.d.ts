/**
 * The page API of Muriel's script, for TypeScript.
 *
 * `window.muriel` may be used before the script has loaded: make it an array and push calls; the script runs them in order.
 *
 *     const muriel = (window.muriel ??= [] as unknown as Muriel.Page);
 *     muriel.push(["track", "signed-up", { plan: "pro" }]);
 *
 * No call throws. What cannot be done is left undone.
 */
declare namespace Muriel {
  type Plain = string | number | boolean;

  /** An arm by its name: `Control`, `Variant 1`, `Variant 2`… */
  type Variant = "Control" | `Variant ${number}`;

  /** With `value` and `currency` an event is an order: it counts for revenue goals of its name. */
  interface Properties {
    /** Finite; negative for a refund. Text is read where the project has a revenue goal: `"1,299.00"`, `"59,90"`. */
    value?: number | string;
    /** ISO 4217, as `EUR`. */
    currency?: string;
    /**
     * One order counts once, however often it is told. A refund has the id of its order, or names that order in `refund_of`. What a template
     * left unfilled, such as `undefined` and `{{order.id}}`, is not taken for one.
     */
    order_id?: string;
    /** The `order_id` of the order that a refund is for. Only with a negative `value`: the server does not take it with another. */
    refund_of?: string;
    /** Pieces bought. */
    quantity?: number;
    /** At most 100 in all. */
    [name: string]: Plain | undefined;
  }

  interface Attributes {
    /** Names of audiences that the visitor belongs to, for rules about audiences. */
    audiences?: string[];
    /** Whatever rules about segments ask for; at most 100, of 8,000 characters in all. Other lists and objects are left out. */
    [name: string]: Plain | string[] | undefined;
  }

  interface Experiment {
    test_id: number;
    experiment_key: string;
    variant: Variant;
  }

  interface Events {
    /** The visitor meets an arm on this page. */
    exposure: Experiment;
    /**
     * Code or a change of an arm failed, or its redirect came back; in a preview, also that a selector matches nothing. With `event`: the
     * server did not take this event, it could not be sent, or it is an order that cannot be read; it is of no experiment.
     */
    error: Partial<Experiment> & { message: string; event?: { type: string; name?: string; [field: string]: unknown } };
  }

  type Call =
    | ["track", name: string, properties?: Properties]
    | ["trigger", identifier: string]
    | ["identify", user: string | null, attributes?: Attributes]
    | ["consent", granted: boolean | "granted" | "denied"]
    | { [K in keyof Events]: ["on", event: K, listener: (told: Events[K]) => void] }[keyof Events];

  interface Page {
    push<K extends keyof Events>(call: ["on", event: K, listener: (told: Events[K]) => void]): void;
    /** Makes calls, in order. The one form that works before the script has loaded, too. */
    push(...calls: Call[]): void;
    /** Records an event of this name, 1 to 128 characters. */
    track(name: string, properties?: Properties): void;
    /** Fires the `script` goal with this identifier. */
    trigger(identifier: string): void;
    /** Tells who the visitor is, or with null that it is nobody any more, and what is known about them; rules see it at once, and for the rest of the visit. */
    identify(user: string | null, attributes?: Attributes): void;
    /** The visitor's answer about being recorded. No erases what was kept. */
    consent(granted: boolean | "granted" | "denied"): void;
    /** The arm that the visitor has met on this page, by the experiment's key; null for none. */
    variant(experiment_key: string): Variant | null;
    /** Calls the listener for what was, and from now on. */
    on<K extends keyof Events>(event: K, listener: (told: Events[K]) => void): void;
  }

  /** What the code of an experiment and its variants sees as `experiment`. */
  interface Code extends Experiment {
    /** Calls back once with the first match of the selector, now or later, unless the arm is taken away before. */
    waitFor(selector: string, found: (element: Element) => void): void;
    /** Runs when the arm is taken away: the visitor goes on to a page without it, or the experiment ends. */
    onCleanup(undo: () => void): void;
    track: Page["track"];
  }
}

interface Window {
  muriel: Muriel.Page;
}
