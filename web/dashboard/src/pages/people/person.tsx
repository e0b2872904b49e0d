import { useQueryClient } from "@tanstack/react-query";
import { outdate, type Schemas, send } from "~/api/query";
import { FormView, useForm } from "~/ui/form/form";
import { Dialog } from "~/ui/dialog";
import { toast } from "~/ui/toast";
import { type Access, AccessFields, projectsOf } from "./access";

export function PersonDialog({ person, onClose }: { person: Schemas["Person"]; onClose: () => void }) {
  const cache = useQueryClient();
  const form = useForm<Access>({
    stored: { role: person.role, projects: person.projects },
    submit: async (values, changes) => {
      const body =
        "projects" in changes || values.role === "owner" ? { ...changes, projects: projectsOf(values) } : changes;
      await send("patch", "/v2/person/{person_id}", { params: { path: { person_id: person.person_id } }, body });
      await outdate(cache, "/v2/people", "/v2/audit");
      toast(`${person.name} was changed.`);
      onClose();
    },
  });
  return (
    <Dialog isOpen onClose={onClose} title={person.name} about={person.email}>
      <FormView form={form} act="Save">
        <AccessFields form={form} />
      </FormView>
    </Dialog>
  );
}
