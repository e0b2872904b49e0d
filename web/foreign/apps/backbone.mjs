// Backbone with jQuery: the view renders its whole HTML on each change.

import Backbone from "backbone";
import $ from "jquery";
import { markup, shop } from "./shop.mjs";

const store = shop();
Backbone.$ = $;
const model = new Backbone.Model(store.get());
store.subscribe((state) => model.set(state));

const View = Backbone.View.extend({
  events: { "click #sort": store.sort, "click #filter": store.filter, "click #add": store.add, "click #go": store.go },
  initialize() {
    this.listenTo(this.model, "change", this.render);
  },
  render() {
    this.$el.html(markup(this.model.toJSON()));
    return this;
  },
});
new View({ el: "#app", model }).render();
